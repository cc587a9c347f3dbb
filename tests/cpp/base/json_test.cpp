#include "base/json.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

#include "support/allocation_counter.hpp"
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

TEST_CASE("a byte order mark is no JSON") {
  CHECK_ERROR(kBad, "expected valid JSON, found a byte order mark", parse("\xef\xbb\xbf{}"));
  CHECK(parse("\"\xef\xbb\xbf\"").get<std::string>() == "\xef\xbb\xbf");  // within a string it is a character
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

TEST_CASE("a document is freed without asking for memory: there may be none left") {
  long allocations = 0;
  {
    const JsonDocument document = parse_json(R"([[[1,2],[]],{"a":{"b":[{}]},"c":"a text that is not short"}])", "file");
    allocations = test::allocation_count;
  }
  CHECK(test::allocation_count == allocations);
}

TEST_CASE("an object that grows moves its values and copies none") {
  Json object = Json::object();
  append_member(object, "first", Json::array({1, 2, 3}));
  const Json* const inner = &object["first"][0];
  for (int i = 0; i < 100; ++i) append_member(object, str("a key that is not short ", i), i);
  CHECK(&object["first"][0] == inner);
  CHECK(object.size() == 101);
  CHECK(object["a key that is not short 99"] == 99);
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
