// The typed getters of JsonObjectReader (json.hpp). Each looks its member up, notes that it was read, and names it in
// the error that it may throw.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.hpp"
#include "base/json.hpp"

namespace vitrine {
namespace {

bool integer_in(const Json& value, std::int64_t min, std::int64_t max, std::int64_t& out) {
  if (!value.is_number_integer()) return false;
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{INT64_MAX}) return false;
  out = value.get<std::int64_t>();
  return out >= min && out <= max;
}

}  // namespace

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
