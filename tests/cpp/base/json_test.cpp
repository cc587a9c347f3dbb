#include "base/json.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

#include "support/expect_error.hpp"

using namespace vitrine;

namespace {

constexpr auto kBad = ErrorCode::bad_json;

Json parse(std::string_view text) { return parse_json(text, "file"); }

}  // namespace

TEST_CASE("a text is read as it stands, members in their order") {
  const Json json = parse(R"( {"z": [1, -2, 3.5, true, null], "a": {"b": "\u00e9\ud83d\ude00\u0000"}} )");
  CHECK(json_text(json["z"]) == "[1,-2,3.5,true,null]");
  CHECK(json.begin().key() == "z");
  CHECK(json["a"]["b"].get<std::string>() == std::string("\xc3\xa9\xf0\x9f\x98\x80\0", 7));
  CHECK(parse("18446744073709551615").get<std::uint64_t>() == UINT64_MAX);
  CHECK(parse("-9223372036854775808").get<std::int64_t>() == INT64_MIN);
}

TEST_CASE("what is not one JSON text is refused, with its place") {
  CHECK_ERROR(kBad, "file: line 1, column 1: expected valid JSON, found the end of the text", parse(""));
  CHECK_ERROR(kBad, "file: line 3, column 2", parse("[1,\n2\n }"));
  for (const char* text : {"{",       "[1,]",    "{\"a\":1,}", "{a:1}",    "'a'",   "[1] 2", "01",     "+1",
                           ".5",      "1.",      "NaN",        "Infinity", "-",     "tru",   "\"\n\"", "\"a",
                           "\"\\x\"", "// c\n1", "/* c */ 1",  "{\"a\"}",  "[1 2]", "nul"}) {
    CAPTURE(text);
    CHECK_ERROR(kBad, "expected valid JSON", parse(text));
  }
}

TEST_CASE("NUL bytes do not end a text early") {
  CHECK_ERROR(kBad, "expected valid JSON", parse(std::string_view("1\0", 2)));
  CHECK_ERROR(kBad, "expected valid JSON", parse(std::string_view("[1]\0x", 5)));
}

TEST_CASE("bytes that are not UTF-8 are refused, lone surrogates and overlong forms included") {
  for (const char* bytes : {"\x80", "\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"}) {
    CHECK_ERROR(kBad, "expected valid JSON", parse(str('"', bytes, '"')));
  }
  CHECK_ERROR(kBad, "expected valid JSON", parse(R"("\ud83d")"));
  CHECK_ERROR(kBad, "expected valid JSON", parse(R"("\udc00\ud800")"));
  for (const char c : test::other_than_error(kBad, "no such words", [] { parse("\"\xff\""); })) {
    CHECK(static_cast<unsigned char>(c) < 0x7F);  // the message itself is clean ASCII
  }
}

TEST_CASE("a number beyond double is refused instead of becoming infinite") {
  CHECK_ERROR(kBad, "1e999", parse("[1e999]"));
  CHECK(parse("1e308").get<double>() == 1e308);
}

TEST_CASE("a repeated key is refused by name, in small and large objects and at any depth") {
  CHECK_ERROR(kBad, "the key \"a\" twice", parse(R"({"a":1,"b":2,"a":1})"));
  CHECK_ERROR(kBad, "the key \"a\" twice", parse(R"([{"x":{"a":1,"\u0061":2}}])"));
  std::string text = "{\"k0\":0";
  for (int i = 1; i < 50'000; ++i) text += str(",\"k", i, "\":0");
  CHECK(parse(text + "}").size() == 50'000);  // quadratic work would take minutes here
  CHECK_ERROR(kBad, "the key \"k31234\" twice", parse(text + ",\"k31234\":0}"));
  CHECK(parse(R"({"a":{"a":1},"b":{"a":1}})").size() == 2);  // the same key in different objects is fine
}

TEST_CASE("depth, number of values and size are limited") {
  CHECK_NOTHROW(parse(std::string(64, '[') + std::string(64, ']')));
  CHECK_ERROR(kBad, "at most 64 levels", parse(std::string(65, '[') + std::string(65, ']')));
  CHECK_ERROR(kBad, "at most 64 levels", parse(std::string(10'000'000, '[')));
  std::string objects;
  for (int i = 0; i < 100; ++i) objects += "{\"a\":";
  CHECK_ERROR(kBad, "at most 64 levels", parse(objects));
  const JsonLimits limits{20, 3, 2};
  CHECK_NOTHROW(parse_json("[1,2]", "file", limits));
  CHECK_ERROR(kBad, "at most 3 values", parse_json("[1,2,3]", "file", limits));
  CHECK_ERROR(kBad, "at most 20 bytes", parse_json(std::string(21, ' '), "file", limits));
}

TEST_CASE("a written value reads back as itself, and what JSON cannot hold is refused") {
  const std::string text = R"({"b":[0.1,1e-320,-5,18446744073709551615],"a":{"text":"\u0001\"\\"}})";
  CHECK(json_text(parse(json_text(parse(text)))) == json_text(parse(text)));
  CHECK(json_text(parse("{\"a\":[1]}"), 2) == "{\n  \"a\": [\n    1\n  ]\n}");
  CHECK_ERROR(ErrorCode::not_finite, "found NaN", json_text(Json(std::nan(""))));
  CHECK_ERROR(ErrorCode::not_finite, "an infinity",
              json_text(Json::array({1, std::numeric_limits<double>::infinity()})));
  CHECK_ERROR(kBad, "UTF-8", json_text(Json("\xff")));
}

TEST_CASE("a quoted string is printable ASCII of bounded length") {
  CHECK(in_quotes("plain") == "\"plain\"");
  CHECK(in_quotes(std::string_view("a\"\\\n\0\xc3\xa9", 7)) == "\"a\\\"\\\\\\x0a\\x00\\xc3\\xa9\"");
  CHECK(in_quotes("abcdef", 3) == "\"abc\"...");
}

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
