#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "base/json.hpp"
#include "support/expect_error.hpp"

using namespace vitrine;

namespace {

Json parse(std::string_view text) { return parse_json(text, "file"); }

}  // namespace

TEST_CASE("a reader gives each member as its type") {
  const Json json =
      parse(R"({"i":-3,"u":18446744073709551615,"n":2,"b":true,"s":"x","is":[1,2],"ss":["a"],"o":{"k":1}})");
  JsonObjectReader reader(json, "c", ErrorCode::bad_config);
  CHECK(reader.integer("i", -5, 5) == -3);
  CHECK(reader.unsigned_integer("u", 0, UINT64_MAX) == UINT64_MAX);
  CHECK(reader.number("n") == 2.0);
  CHECK(reader.boolean("b"));
  CHECK(reader.string("s") == "x");
  CHECK(reader.integers("is", 0, 9) == std::vector<std::int64_t>{1, 2});
  CHECK(reader.strings("ss") == std::vector<std::string>{"a"});
  JsonObjectReader inner = reader.object("o");
  CHECK(inner.where() == "c: o");
  CHECK(inner.integer("k", 0, 1) == 1);
  inner.finish();
  reader.finish();
  CHECK(reader.array("is").size() == 2);
  CHECK_FALSE(reader.optional_integer("absent", 0, 1).has_value());
  CHECK_FALSE(reader.has("absent"));
}

TEST_CASE("an integer has no fraction, is in its range, and is not text, truth or a number too large for it") {
  for (const char* value : {"2.0", "2.5", "1e0", "\"2\"", "true", "null", "[2]", "{}", "11", "-1",
                            "9223372036854775808", "18446744073709551615", "99999999999999999999"}) {
    CAPTURE(value);
    const Json json = parse(str("{\"n\":", value, "}"));
    JsonObjectReader reader(json, "c", ErrorCode::bad_config);
    CHECK_ERROR(ErrorCode::bad_config, "c: n: expected an integer from 0 to 10, found ", reader.integer("n", 0, 10));
    CHECK_ERROR(ErrorCode::bad_config, "c: n: expected an integer from 0 to 10, found ",
                reader.unsigned_integer("n", 0, 10));
    CHECK_ERROR(ErrorCode::bad_config, "c: n: expected an integer", reader.optional_integer("n", 0, 10));
  }
}

TEST_CASE("a number is finite and in its range") {
  Json json = parse(R"({"n":"1","big":3})");
  json["nan"] = std::nan("");
  JsonObjectReader reader(json, "policy", ErrorCode::invalid_option);
  CHECK_ERROR(ErrorCode::invalid_option, "policy: n: expected a finite number, found \"1\"", reader.number("n"));
  CHECK_ERROR(ErrorCode::invalid_option, "policy: nan: expected a finite number, found NaN", reader.number("nan"));
  CHECK_ERROR(ErrorCode::invalid_option, "policy: big: expected a number from 0 to 1, found 3",
              reader.number("big", 0, 1));
  CHECK_ERROR(ErrorCode::invalid_option, "policy: absent: expected a finite number, found nothing",
              reader.number("absent"));
}

TEST_CASE("null is refused in options and may mean absent in configurations of other programs") {
  const Json json = parse(R"({"a":null})");
  JsonObjectReader strict(json, "policy", ErrorCode::invalid_option);
  CHECK_ERROR(ErrorCode::invalid_option, "policy: a: expected a finite number, found null",
              strict.optional_number("a"));
  CHECK(strict.has("a"));
  JsonObjectReader lenient(json, "config", ErrorCode::bad_config, JsonNull::absent);
  CHECK_FALSE(lenient.optional_number("a").has_value());
  CHECK_FALSE(lenient.has("a"));
  lenient.finish();
  CHECK_ERROR(ErrorCode::bad_config, "config: a: expected a finite number, found null", lenient.number("a"));
}

TEST_CASE("a wrong element of an array is named by its index") {
  const Json json = parse(R"({"i":[1,2.5],"s":["a",1],"t":3})");
  JsonObjectReader reader(json, "c", ErrorCode::bad_config);
  CHECK_ERROR(ErrorCode::bad_config, "c: i[1]: expected an integer from 0 to 9, found 2.5", reader.integers("i", 0, 9));
  CHECK_ERROR(ErrorCode::bad_config, "c: s[1]: expected a string, found 1", reader.strings("s"));
  CHECK_ERROR(ErrorCode::bad_config, "c: t: expected an array of integers, found 3", reader.integers("t", 0, 9));
}

TEST_CASE("finish refuses a member that nobody read, by name, unless it is allowed") {
  const Json json = parse(R"({"temperature":1,"temprature":2})");
  JsonObjectReader reader(json, "policy", ErrorCode::invalid_option);
  reader.number("temperature");
  CHECK_ERROR(ErrorCode::invalid_option, "policy: expected known keys only, found \"temprature\"", reader.finish());
  CHECK_NOTHROW(reader.finish({"temprature"}));
}

TEST_CASE("a reader wants an object") {
  for (const char* text : {"[]", "1", "\"{}\"", "null"}) {
    const Json json = parse(text);
    CHECK_ERROR(ErrorCode::bad_config, "c: expected an object, found ",
                JsonObjectReader(json, "c", ErrorCode::bad_config));
  }
}
