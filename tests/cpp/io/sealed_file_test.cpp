// What all kinds share, with the codes of one; checkpoint_file_test.cpp and ngram_file_test.cpp spoil the content.
#include "io/sealed_file.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "io/safetensors.hpp"
#include "support/expect_error.hpp"

using namespace vitrine;

namespace {

constexpr SealedKind kKind = {"vitrine-thing", "3", ErrorCode::bad_config};

SealedContent small_content() {
  SealedContent content;
  content.tensors.insert({"a", {2}, {1.5F, -0.0F}, DType::f32});
  content.state = Json{{"name", "x"}};
  return content;
}

/// The file with one entry of its metadata changed.
std::string with_metadata(const std::string& key, const std::string& value) {
  SafetensorsFile file = read_safetensors(seal(kKind, small_content()), "s");
  file.metadata[key] = value;
  return write_safetensors(file.tensors, file.metadata);
}

}  // namespace

TEST_CASE("what was sealed comes out bit for bit, from an ordinary safetensors file") {
  const std::string bytes = seal(kKind, small_content());
  const SealedContent content = unseal(kKind, bytes, "s");
  const Tensor& tensor = content.tensors.require("a");
  CHECK(tensor.data[0] == 1.5F);
  CHECK(std::signbit(tensor.data[1]));
  CHECK(json_text(content.state) == "{\"name\":\"x\"}");
  CHECK(seal(kKind, content) == bytes);
  CHECK(read_safetensors(bytes, "s").metadata.at("format") == "vitrine-thing");
}

TEST_CASE("a seal that does not fit is refused with the code of the kind that was wanted") {
  const std::string bytes = seal(kKind, small_content());
  CHECK_ERROR(ErrorCode::bad_data, "s: format: expected vitrine-other, found \"vitrine-thing\"",
              unseal({"vitrine-other", "3", ErrorCode::bad_data}, bytes, "s"));
  CHECK_ERROR(ErrorCode::bad_config, "s: expected at least 8 bytes", unseal(kKind, "", "s"));
  CHECK_ERROR(ErrorCode::bad_config, "s: __metadata__: expected a field format",
              unseal(kKind, write_safetensors({}), "s"));
  CHECK_ERROR(ErrorCode::bad_config, "s: expected content of SHA-256",
              unseal(kKind, with_metadata("state", "{\"name\":\"y\"}"), "s"));
  CHECK_ERROR(ErrorCode::unsupported_format, "s: version: expected 3, found \"4\"",
              unseal(kKind, with_metadata("version", "4"), "s"));
}

TEST_CASE("numbers that are not float32 are neither sealed nor accepted") {
  SealedContent content = small_content();
  content.tensors.insert({"h", {1}, {1.0F}, DType::f16});
  CHECK_ERROR(ErrorCode::internal, "h: expected float32, found F16", seal(kKind, content));
  SafetensorsFile file = read_safetensors(seal(kKind, small_content()), "s");
  file.tensors.insert({"h", {1}, {1.0F}, DType::f16});
  CHECK_ERROR(ErrorCode::bad_config, "s: \"h\": expected float32, found F16",
              unseal(kKind, write_safetensors(file.tensors, file.metadata), "s"));
}
