// The builder that turns parse events into a value under limits, and what keeps values cheap to grow and safe to free.
// No recursion here depends on the input: the parser keeps its own stack, and the depth is bounded.
#include "base/json.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/check.hpp"

namespace vitrine {
namespace {

/// Destroys what a value holds from the innermost out: what has become empty is destroyed without asking for memory.
void release(Json& value) noexcept {
  if (value.is_array()) {
    auto& array = value.get_ref<Json::array_t&>();
    for (Json& inner : array) release(inner);
    array.clear();
  } else if (value.is_object()) {
    auto& object = value.get_ref<Json::object_t&>();
    for (auto& member : object) release(member.second);
    object.clear();
  }
}

using Members = Json::object_t::Container;

/// Makes room for as many members again. Left to itself the container would copy every value, with all that is in it,
/// because its keys are const and cannot be moved; here keys are copied first, and then nothing can fail.
void grow(Members& members) {
  Members larger;
  larger.reserve(std::max<std::size_t>(4, 2 * members.size()));
  for (const auto& member : members) larger.emplace_back(member.first, nullptr);
  for (std::size_t i = 0; i < members.size(); ++i) larger[i].second.swap(members[i].second);
  members.swap(larger);
}

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

  /// What the parser would let pass: it skips a byte order mark, and takes a NUL for the end of the text, whatever
  /// follows it.
  void refuse_what_is_no_json() {
    if (text_.starts_with("\xEF\xBB\xBF")) refuse("valid JSON", "a byte order mark");
    const std::size_t nul = text_.find('\0');
    if (nul == std::string_view::npos) return;
    progress = text_.data() + nul + 1;
    refuse("valid JSON", "a NUL byte");
  }

  JsonDocument result;
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
      result.value() = std::move(value);
      return &result.value();
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

void require_finite(const Json& value) {
  if (value.is_structured()) {
    for (const Json& inner : value) require_finite(inner);
  } else if (value.is_number_float()) {
    const double number = value.get<double>();
    VITRINE_CHECK(std::isfinite(number), ErrorCode::not_finite, "JSON: expected a finite number, found ",
                  std::isnan(number) ? "NaN" : "an infinity");
  }
}

}  // namespace

JsonDocument::~JsonDocument() { release(value_); }

JsonDocument parse_json(std::string_view text, std::string_view where, const JsonLimits& limits) {
  VITRINE_CHECK(text.size() <= limits.max_bytes, ErrorCode::bad_json, where, ": expected at most ", limits.max_bytes,
                " bytes of JSON, found ", text.size());
  Builder builder(text, where, limits);
  builder.refuse_what_is_no_json();
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
  // The container below the ordered map: its own emplace would compare the key with all that are there.
  auto& members = static_cast<Members&>(object.get_ref<Json::object_t&>());
  if (members.size() == members.capacity()) grow(members);
  members.emplace_back(std::move(key), std::move(value));
}

}  // namespace vitrine
