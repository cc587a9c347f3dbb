// JSON from outside: a strict, bounded parser and typed access to the fields of an object with errors that name
// them. Not a JSON library: that is nlohmann/json, which is included here and nowhere else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace vitrine {

/// A JSON value whose objects keep the order in which their members were added or read. Looking a key up is linear
/// in the size of its object: iterate over large ones, and fill them with append_member.
using Json = nlohmann::ordered_json;

/// A value that outside data made, as large as it likes. A plain Json asks for memory to be destroyed, and ends the
/// program when there is none; this one frees without asking.
class JsonDocument {
 public:
  JsonDocument() = default;
  JsonDocument(Json value) : value_(std::move(value)) {}
  JsonDocument(const JsonDocument&) = default;
  JsonDocument(JsonDocument&& other) noexcept : value_(std::move(other.value_)) {}
  JsonDocument& operator=(JsonDocument other) noexcept {
    value_.swap(other.value_);
    return *this;
  }
  ~JsonDocument();

  const Json& value() const { return value_; }
  Json& value() { return value_; }
  operator const Json&() const { return value_; }

 private:
  Json value_;
};

struct JsonLimits {
  std::uint64_t max_bytes = std::uint64_t{64} << 20;
  std::uint64_t max_values = 4'000'000;  ///< scalars, arrays and objects together
  std::size_t max_depth = 64;            ///< arrays and objects inside one another
};

/// Parses one JSON text (RFC 8259) and nothing after it. Throws bad_json, with `where` and the line and column, for
/// a syntax error, invalid UTF-8, a number beyond double, a repeated key, or more than `limits` allow.
JsonDocument parse_json(std::string_view text, std::string_view where, const JsonLimits& limits = {});

/// The text of a value: compact, or indented by `indent` spaces a level if it is not negative. Throws not_finite for
/// a NaN or an infinity, which JSON cannot hold, and bad_json for a string that is not UTF-8.
std::string json_text(const Json& value, int indent = -1);

/// What an error message says about a value that it found: never more than a line of it.
std::string described(const Json& value);

/// Adds a member without looking for its key, which must be new.
void append_member(Json& object, std::string key, Json value);

/// What to do with a member whose value is null. Model configurations of other programs write null for "not set";
/// in options it is what a NaN turns into, and refused.
enum class JsonNull { refused, absent };

/// Reads the members of one object. Every error has the code and the place given here and names the member:
/// "config.json: n_heads: expected an integer from 1 to 256, found "eight"". The value must outlive the reader.
class JsonObjectReader {
 public:
  /// Throws `code` unless `value` is an object.
  JsonObjectReader(const Json& value, std::string where, ErrorCode code, JsonNull null = JsonNull::refused);

  bool has(std::string_view key) const;

  // A member that must be there. An integer has no fraction or exponent in the text; a number is finite.
  std::int64_t integer(std::string_view key, std::int64_t min, std::int64_t max);
  std::uint64_t unsigned_integer(std::string_view key, std::uint64_t min, std::uint64_t max);
  double number(std::string_view key, double min = std::numeric_limits<double>::lowest(),
                double max = std::numeric_limits<double>::max());
  bool boolean(std::string_view key);
  std::string string(std::string_view key);
  std::vector<std::int64_t> integers(std::string_view key, std::int64_t min, std::int64_t max);
  std::vector<std::string> strings(std::string_view key);
  const Json& array(std::string_view key);
  const Json& value(std::string_view key);
  JsonObjectReader object(std::string_view key);

  // The same for a member that may be absent.
  std::optional<std::int64_t> optional_integer(std::string_view key, std::int64_t min, std::int64_t max);
  std::optional<std::uint64_t> optional_unsigned(std::string_view key, std::uint64_t min, std::uint64_t max);
  std::optional<double> optional_number(std::string_view key, double min = std::numeric_limits<double>::lowest(),
                                        double max = std::numeric_limits<double>::max());
  std::optional<bool> optional_boolean(std::string_view key);
  std::optional<std::string> optional_string(std::string_view key);
  std::optional<std::vector<std::int64_t>> optional_integers(std::string_view key, std::int64_t min, std::int64_t max);
  std::optional<std::vector<std::string>> optional_strings(std::string_view key);
  std::optional<JsonObjectReader> optional_object(std::string_view key);

  /// Call it last: throws for the first member that was neither read nor is in `ignored`.
  void finish(const std::vector<std::string_view>& ignored = {}) const;

  /// Throws the reader's code: "where: key: expected <expected>, found <the member's value>".
  [[noreturn]] void refuse(std::string_view key, std::string_view expected) const;

  const std::string& where() const { return where_; }
  ErrorCode code() const { return code_; }

 private:
  const Json* find(std::string_view key);

  const Json* object_;
  std::string where_;
  ErrorCode code_;
  JsonNull null_;
  std::vector<std::string> seen_;
};

}  // namespace vitrine
