#include "io/manifest.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <utility>

#include "base/sha256.hpp"
#include "bundle_parts.hpp"
#include "support/expect_error.hpp"

using namespace vitrine;

namespace {

constexpr auto kBad = ErrorCode::bad_manifest;

/// The text of a good manifest in which `from` stands for `to`.
std::string changed(const std::string& from, const std::string& to) {
  std::string text = write_manifest(test::small_bundle().manifest);
  const std::size_t place = text.find(from);
  REQUIRE(place != std::string::npos);
  return text.replace(place, from.size(), to);
}

/// The same for one part, written on one line.
std::string with_part(const std::string& part) { return changed("\"parts\": [", "\"parts\": [" + part + ","); }

const std::string kHash(64, 'b');

}  // namespace

TEST_CASE("a manifest reads back as it was written") {
  const Manifest manifest = test::small_bundle().manifest;
  const std::string text = write_manifest(manifest);
  const Manifest found = parse_manifest(text);
  CHECK(found.name == "toy");
  CHECK(found.model_version == "1.2.3");
  REQUIRE(found.parts.size() == 6);
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(found.parts[i].name == manifest.parts[i].name);
    CHECK(found.parts[i].file == manifest.parts[i].file);
    CHECK(found.parts[i].bytes == manifest.parts[i].bytes);
    CHECK(found.parts[i].sha256 == manifest.parts[i].sha256);
  }
  REQUIRE(found.self_test.has_value());
  CHECK(found.self_test->tokens == std::vector<std::int32_t>{0, 5, 2147483647});
  CHECK(found.self_test->logits_sha256 == std::string(64, 'a'));
  CHECK(found.corpus.value()["source"] == "by hand");
  CHECK(found.held_out.value()["loss"] == 1.5);
  CHECK(found.training.value().empty());
  CHECK(write_manifest(found) == text);
}

TEST_CASE("the free objects and the self-test may be absent") {
  Manifest manifest = test::small_bundle().manifest;
  manifest.self_test.reset();
  CHECK_FALSE(parse_manifest(write_manifest(manifest)).self_test.has_value());
  CHECK(parse_manifest(changed(",\n  \"training\": {}", "")).training.value().is_object());
}

TEST_CASE("another format, another version, and what is not JSON are told apart") {
  CHECK_ERROR(ErrorCode::bad_json, "manifest.json: line 1", parse_manifest(""));
  CHECK_ERROR(kBad, "manifest.json: expected an object", parse_manifest("[]"));
  CHECK_ERROR(kBad, "format: expected \"vitrine-bundle\", found \"gguf\"",
              parse_manifest(changed("vitrine-bundle", "gguf")));
  CHECK_ERROR(ErrorCode::unsupported_format, "version: expected 1, found 2",
              parse_manifest(changed("\"version\": 1", "\"version\": 2")));
  CHECK_ERROR(kBad, "version: expected an integer", parse_manifest(changed("\"version\": 1", "\"version\": \"1\"")));
}

TEST_CASE("a part that the bundle cannot do without is named") {
  for (const std::string_view part : kRequiredParts) {
    CHECK_ERROR(kBad, str("parts: expected a part ", part),
                parse_manifest(changed(str("\"", part, "\""), "\"other\"")));
  }
}

TEST_CASE("no file name leads out of the bundle's folder") {
  for (const char* file : {"../model.safetensors", "..", ".", "", "/etc/passwd", "a/b", "a\\\\b", "C:x", ".hidden",
                           "a b", "a\\u0000b", "a\\nb", "\\u00e9", "%2e%2e", "~"}) {
    CAPTURE(file);
    CHECK_ERROR(
        kBad, "parts[0]: file: expected a plain file name",
        parse_manifest(with_part(str(R"({"name":"x","file":")", file, R"(","bytes":0,"sha256":")", kHash, "\"}"))));
  }
  CHECK_ERROR(kBad, "plain file name", parse_manifest(changed("model.safetensors", std::string(101, 'a'))));
  CHECK_ERROR(kBad, "other than the manifest itself", parse_manifest(changed("model.safetensors", "manifest.json")));
  CHECK(is_plain_file_name("model-00001-of-00002.safetensors"));
  CHECK(is_plain_file_name("LICENSE"));
}

TEST_CASE("sizes and hashes have their form") {
  const auto with = [](const std::string& name, const std::string& bytes, const std::string& hash) {
    return with_part(str(R"({"name":)", name, R"(,"file":"x","bytes":)", bytes, R"(,"sha256":)", hash, "}"));
  };
  const std::string hash = "\"" + kHash + "\"";
  CHECK_NOTHROW(parse_manifest(with("\"x_1\"", "9007199254740991", hash)));
  for (const char* bytes : {"-1", "1.5", "9007199254740992", "18446744073709551616", "\"1\"", "null"}) {
    CAPTURE(bytes);
    CHECK_ERROR(kBad, "parts[0]: bytes: expected an integer from 0", parse_manifest(with("\"x\"", bytes, hash)));
  }
  for (const char* bad : {"\"\"", "\"abc\"", "null", "7"}) {
    CHECK_ERROR(kBad, "parts[0]: sha256: expected ", parse_manifest(with("\"x\"", "1", bad)));
  }
  CHECK_ERROR(kBad, "64 lower-case", parse_manifest(with("\"x\"", "1", "\"" + std::string(64, 'A') + "\"")));
  for (const char* name : {"\"\"", "\"Weights\"", "\"a-b\"", "1"}) {
    CHECK_ERROR(kBad, "parts[0]: name: expected ", parse_manifest(with(name, "1", hash)));
  }
}

TEST_CASE("a part or a file that appears twice is refused") {
  CHECK_ERROR(kBad, "every name and file once", parse_manifest(changed("\"licence\"", "\"weights\"")));
  CHECK_ERROR(kBad, "every name and file once", parse_manifest(changed("LICENSE.txt", "config.json")));
}

TEST_CASE("unknown fields are refused by name, and free objects must be objects") {
  CHECK_ERROR(kBad, "manifest.json: expected known keys only, found \"extra\"",
              parse_manifest(changed("{", "{\"extra\":1,")));
  CHECK_ERROR(kBad, "parts[0]: expected known keys only, found \"url\"",
              parse_manifest(changed("\"bytes\"", "\"url\":\"x\",\"bytes\"")));
  CHECK_ERROR(kBad, "corpus: expected an object, found 1",
              parse_manifest(changed("\"corpus\": {\n    \"source\": \"by hand\"\n  }", "\"corpus\": 1")));
  CHECK_ERROR(kBad, "training: expected an object, found null",
              parse_manifest(changed("\"training\": {}", "\"training\": null")));
  CHECK_ERROR(kBad, "name: expected a string", parse_manifest(changed("\"toy\"", "3")));
}

TEST_CASE("a self-test has tokens and a hash") {
  const std::string tokens = "\"tokens\": [\n      0,\n      5,\n      2147483647\n    ]";
  CHECK_ERROR(kBad, "self_test: tokens: expected 1 to 1024", parse_manifest(changed(tokens, "\"tokens\": []")));
  std::string many = "\"tokens\": [1";
  for (int i = 1; i < 1024; ++i) many += ",1";
  CHECK(parse_manifest(changed(tokens, many + "]")).self_test->tokens.size() == 1024);
  CHECK_ERROR(kBad, "self_test: tokens: expected 1 to 1024", parse_manifest(changed(tokens, many + ",1]")));
  CHECK_ERROR(kBad, "self_test: tokens[0]: expected an integer", parse_manifest(changed(tokens, "\"tokens\": [-1]")));
  CHECK_ERROR(kBad, "self_test: tokens[0]: expected an integer",
              parse_manifest(changed(tokens, "\"tokens\": [2147483648]")));
  CHECK_ERROR(kBad, "self_test: logits_sha256: expected 64", parse_manifest(changed(std::string(64, 'a'), "abc")));
}

TEST_CASE("a manifest that could not be read is not written") {
  Manifest manifest = test::small_bundle().manifest;
  manifest.parts[0].file = "../x";
  CHECK_ERROR(kBad, "plain file name", write_manifest(manifest));
  manifest = test::small_bundle().manifest;
  manifest.parts.pop_back();
  manifest.parts.pop_back();
  CHECK_ERROR(kBad, "expected a part template", write_manifest(manifest));
}

TEST_CASE("a part is verified by size and by hash, and the message names part, file and both values") {
  const Manifest manifest = test::small_bundle().manifest;
  CHECK_NOTHROW(verify_part(manifest, "weights", "the weights"));
  CHECK_NOTHROW(verify_part(manifest, "licence", ""));
  CHECK_ERROR(ErrorCode::part_mismatch, "bundle \"toy\": part weights (model.safetensors): expected 11 bytes, found 10",
              verify_part(manifest, "weights", "the weight"));
  CHECK_ERROR(ErrorCode::part_mismatch,
              str("part weights (model.safetensors): expected SHA-256 ", sha256_hex("the weights"), ", found ",
                  sha256_hex("the Weights")),
              verify_part(manifest, "weights", "the Weights"));
  CHECK_ERROR(kBad, "expected a part baseline", verify_part(manifest, "baseline", ""));
}
