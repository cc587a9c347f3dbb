// The builder that turns parse events into a value under limits, and the typed getters.
// No recursion here depends on the input: the parser keeps its own stack, and the depth is bounded.
#include "base/json.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/check.hpp"

namespace vitrine {
namespace {

/// Walks the text and lets the builder see how far the parser has come.
class TrackingIterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  TrackingIterator(const char* at, const char** progress) : at_(at), progress_(progress) {}
  reference operator*() const { return *at_; }
  TrackingIterator& operator++() {
    *progress_ = ++at_;
    return *this;
  }
  TrackingIterator operator++(int) {
    const TrackingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const TrackingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const TrackingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** progress_;
};

/// Receives the parser's events, counts them against the limits, and builds the value.
class Builder {
 public:
  using number_integer_t = Json::number_integer_t;
  using number_unsigned_t = Json::number_unsigned_t;
  using number_float_t = Json::number_float_t;
  using string_t = Json::string_t;
  using binary_t = Json::binary_t;

  Builder(std::string_view text, std::string_view where, const JsonLimits& limits)
      : progress(text.data()), text_(text), where_(where), limits_(limits) {}

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(number_integer_t value) { return add(value); }
  bool number_unsigned(number_unsigned_t value) { return add(value); }
  bool number_float(number_float_t value, const string_t&) { return add(value); }
  bool string(string_t& value) { return add(std::move(value)); }
  bool binary(binary_t&) { return false; }  // exists in binary formats only
  bool start_object(std::size_t) { return open(Json::object()); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool key(string_t& key) {
    key_ = std::move(key);
    return true;
  }
  bool end_object() {
    refuse_repeated_keys(open_.back()->get_ref<const Json::object_t&>());
    open_.pop_back();
    return true;
  }
  bool end_array() {
    open_.pop_back();
    return true;
  }
  bool parse_error(std::size_t, const std::string& token, const nlohmann::detail::exception&) {
    // A long token is a string that has gone wrong at its end.
    const std::string_view tail =
        std::string_view(token).substr(token.size() - std::min<std::size_t>(token.size(), 40));
    refuse("valid JSON",
           progress == text_.data() + text_.size() && tail.empty() ? "the end of the text" : in_quotes(tail));
  }

  /// The parser takes a NUL for the end of the text, and would accept whatever follows it.
  void refuse_nul() {
    const std::size_t nul = text_.find('\0');
    if (nul == std::string_view::npos) return;
    progress = text_.data() + nul + 1;
    refuse("valid JSON", "a NUL byte");
  }

  Json result;
  const char* progress;

 private:
  [[noreturn]] void refuse(std::string_view expected, const std::string& found) const {
    const std::string_view read = text_.substr(0, static_cast<std::size_t>(progress - text_.data()));
    const auto line = 1 + std::count(read.begin(), read.end(), '\n');
    const std::size_t line_start = read.rfind('\n') == std::string_view::npos ? 0 : read.rfind('\n') + 1;
    fail(ErrorCode::bad_json,
         str(where_, ": line ", line, ", column ", std::max<std::size_t>(1, read.size() - line_start), ": expected ",
             expected, ", found ", found));
  }

  Json* place(Json value) {
    if (++values_ > limits_.max_values) refuse(str("at most ", limits_.max_values, " values"), "more");
    if (open_.empty()) {
      result = std::move(value);
      return &result;
    }
    if (open_.back()->is_array()) {
      auto& array = open_.back()->get_ref<Json::array_t&>();
      array.push_back(std::move(value));
      return &array.back();
    }
    append_member(*open_.back(), std::move(key_), std::move(value));
    return &open_.back()->get_ref<Json::object_t&>().back().second;
  }

  template <class T>
  bool add(T value) {
    place(Json(std::move(value)));
    return true;
  }

  bool open(Json value) {
    if (open_.size() == limits_.max_depth) refuse(str("nesting of at most ", limits_.max_depth, " levels"), "more");
    open_.push_back(place(std::move(value)));
    return true;
  }

  /// Sorting keeps this n log n for objects of any size; a set of keys would double the memory.
  void refuse_repeated_keys(const Json::object_t& object) const {
    std::vector<std::string_view> keys;
    keys.reserve(object.size());
    for (const auto& member : object) keys.push_back(member.first);
    std::sort(keys.begin(), keys.end());
    const auto repeated = std::adjacent_find(keys.begin(), keys.end());
    if (repeated != keys.end()) refuse("every key once in an object", str("the key ", in_quotes(*repeated), " twice"));
  }

  std::string_view text_;
  std::string_view where_;
  const JsonLimits& limits_;
  std::uint64_t values_ = 0;
  std::vector<Json*> open_;  // outermost first; only the last one grows, so the pointers stay valid
  std::string key_;
};

/// What an error message says about a value.
std::string described(const Json& value) {
  switch (value.type()) {
    case Json::value_t::string:
      return in_quotes(value.get_ref<const std::string&>());
    case Json::value_t::array:
      return str("an array of ", value.size());
    case Json::value_t::object:
      return "an object";
    case Json::value_t::number_float:
      if (!std::isfinite(value.get<double>())) return std::isnan(value.get<double>()) ? "NaN" : "an infinity";
      [[fallthrough]];
    default:
      return value.dump();
  }
}

bool integer_in(const Json& value, std::int64_t min, std::int64_t max, std::int64_t& out) {
  if (!value.is_number_integer()) return false;
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{INT64_MAX}) return false;
  out = value.get<std::int64_t>();
  return out >= min && out <= max;
}

void require_finite(const Json& value) {
  if (value.is_structured()) {
    for (const Json& inner : value) require_finite(inner);
  } else if (value.is_number_float()) {
    VITRINE_CHECK(std::isfinite(value.get<double>()), ErrorCode::not_finite, "JSON: expected a finite number, found ",
                  described(value));
  }
}

}  // namespace

Json parse_json(std::string_view text, std::string_view where, const JsonLimits& limits) {
  VITRINE_CHECK(text.size() <= limits.max_bytes, ErrorCode::bad_json, where, ": expected at most ", limits.max_bytes,
                " bytes of JSON, found ", text.size());
  Builder builder(text, where, limits);
  builder.refuse_nul();
  const TrackingIterator begin(text.data(), &builder.progress);
  const TrackingIterator end(text.data() + text.size(), &builder.progress);
  Json::sax_parse(begin, end, &builder);
  return std::move(builder.result);
}

std::string json_text(const Json& value, int indent) {
  require_finite(value);
  try {
    return value.dump(indent);
  } catch (const nlohmann::detail::type_error&) {
    fail(ErrorCode::bad_json, "JSON: expected strings in UTF-8, found other bytes");
  }
}

void append_member(Json& object, std::string key, Json value) {
  auto& members = object.get_ref<Json::object_t&>();
  // The container below the ordered map: its own emplace would compare the key with all that are there.
  static_cast<Json::object_t::Container&>(members).emplace_back(std::move(key), std::move(value));
}

std::string in_quotes(std::string_view text, std::size_t max_length) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text.substr(0, max_length)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (byte >= 0x20 && byte < 0x7F) {
      out += c;
    } else {
      out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out + (text.size() > max_length ? "\"..." : "\"");
}

JsonObjectReader::JsonObjectReader(const Json& value, std::string where, ErrorCode code, JsonNull null)
    : object_(&value), where_(std::move(where)), code_(code), null_(null) {
  VITRINE_CHECK(value.is_object(), code_, where_, ": expected an object, found ", described(value));
}

const Json* JsonObjectReader::find(std::string_view key) {
  for (const auto& member : object_->get_ref<const Json::object_t&>()) {
    if (member.first != key) continue;
    seen_.push_back(member.first);
    return member.second.is_null() && null_ == JsonNull::absent ? nullptr : &member.second;
  }
  return nullptr;
}

bool JsonObjectReader::has(std::string_view key) const {
  for (const auto& member : object_->get_ref<const Json::object_t&>()) {
    if (member.first == key) return !(member.second.is_null() && null_ == JsonNull::absent);
  }
  return false;
}

void JsonObjectReader::refuse(std::string_view key, std::string_view expected) const {
  std::string found = "nothing";
  for (const auto& member : object_->get_ref<const Json::object_t&>()) {
    if (member.first == key) found = described(member.second);
  }
  fail(code_, str(where_, ": ", key, ": expected ", expected, ", found ", found));
}

std::optional<std::int64_t> JsonObjectReader::optional_integer(std::string_view key, std::int64_t min,
                                                               std::int64_t max) {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  std::int64_t out = 0;
  if (!integer_in(*value, min, max, out)) refuse(key, str("an integer from ", min, " to ", max));
  return out;
}

std::optional<std::uint64_t> JsonObjectReader::optional_unsigned(std::string_view key, std::uint64_t min,
                                                                 std::uint64_t max) {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  const bool negative = value->is_number_integer() && !value->is_number_unsigned() && value->get<std::int64_t>() < 0;
  const bool good = value->is_number_integer() && !negative && value->get<std::uint64_t>() >= min &&
                    value->get<std::uint64_t>() <= max;
  if (!good) refuse(key, str("an integer from ", min, " to ", max));
  return value->get<std::uint64_t>();
}

std::optional<double> JsonObjectReader::optional_number(std::string_view key, double min, double max) {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  const double out = value->is_number() ? value->get<double>() : std::numeric_limits<double>::quiet_NaN();
  if (!std::isfinite(out)) refuse(key, "a finite number");
  if (!(out >= min && out <= max)) refuse(key, str("a number from ", min, " to ", max));
  return out;
}

std::optional<bool> JsonObjectReader::optional_boolean(std::string_view key) {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_boolean()) refuse(key, "true or false");
  return value->get<bool>();
}

std::optional<std::string> JsonObjectReader::optional_string(std::string_view key) {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) refuse(key, "a string");
  return value->get<std::string>();
}

std::optional<std::vector<std::int64_t>> JsonObjectReader::optional_integers(std::string_view key, std::int64_t min,
                                                                             std::int64_t max) {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_array()) refuse(key, "an array of integers");
  std::vector<std::int64_t> out(value->size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    VITRINE_CHECK(integer_in((*value)[i], min, max, out[i]), code_, where_, ": ", key, "[", i,
                  "]: expected an integer from ", min, " to ", max, ", found ", described((*value)[i]));
  }
  return out;
}

std::optional<std::vector<std::string>> JsonObjectReader::optional_strings(std::string_view key) {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_array()) refuse(key, "an array of strings");
  std::vector<std::string> out;
  out.reserve(value->size());
  for (const Json& item : *value) {
    VITRINE_CHECK(item.is_string(), code_, where_, ": ", key, "[", out.size(), "]: expected a string, found ",
                  described(item));
    out.push_back(item.get<std::string>());
  }
  return out;
}

std::optional<JsonObjectReader> JsonObjectReader::optional_object(std::string_view key) {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  return JsonObjectReader(*value, str(where_, ": ", key), code_, null_);
}

std::int64_t JsonObjectReader::integer(std::string_view key, std::int64_t min, std::int64_t max) {
  if (const auto out = optional_integer(key, min, max)) return *out;
  refuse(key, str("an integer from ", min, " to ", max));
}

std::uint64_t JsonObjectReader::unsigned_integer(std::string_view key, std::uint64_t min, std::uint64_t max) {
  if (const auto out = optional_unsigned(key, min, max)) return *out;
  refuse(key, str("an integer from ", min, " to ", max));
}

double JsonObjectReader::number(std::string_view key, double min, double max) {
  if (const auto out = optional_number(key, min, max)) return *out;
  refuse(key, "a finite number");
}

bool JsonObjectReader::boolean(std::string_view key) {
  if (const auto out = optional_boolean(key)) return *out;
  refuse(key, "true or false");
}

std::string JsonObjectReader::string(std::string_view key) {
  if (auto out = optional_string(key)) return *std::move(out);
  refuse(key, "a string");
}

std::vector<std::int64_t> JsonObjectReader::integers(std::string_view key, std::int64_t min, std::int64_t max) {
  if (auto out = optional_integers(key, min, max)) return *std::move(out);
  refuse(key, "an array of integers");
}

std::vector<std::string> JsonObjectReader::strings(std::string_view key) {
  if (auto out = optional_strings(key)) return *std::move(out);
  refuse(key, "an array of strings");
}

const Json& JsonObjectReader::array(std::string_view key) {
  const Json* out = find(key);
  if (out == nullptr || !out->is_array()) refuse(key, "an array");
  return *out;
}

const Json& JsonObjectReader::value(std::string_view key) {
  const Json* out = find(key);
  if (out == nullptr) refuse(key, "a value");
  return *out;
}

JsonObjectReader JsonObjectReader::object(std::string_view key) {
  if (auto out = optional_object(key)) return *std::move(out);
  refuse(key, "an object");
}

void JsonObjectReader::finish(const std::vector<std::string_view>& ignored) const {
  for (const auto& member : object_->get_ref<const Json::object_t&>()) {
    const bool known = std::find(seen_.begin(), seen_.end(), member.first) != seen_.end() ||
                       std::find(ignored.begin(), ignored.end(), member.first) != ignored.end();
    VITRINE_CHECK(known, code_, where_, ": expected known keys only, found ", in_quotes(member.first));
  }
}

}  // namespace vitrine
