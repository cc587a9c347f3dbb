#include "io/safetensors.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/half.hpp"
#include "support/expect_error.hpp"
#include "support/shared_data.hpp"

using namespace vitrine;

namespace {

constexpr auto kBad = ErrorCode::bad_safetensors;

/// Length, header, and `data_bytes` bytes of numbers.
std::string file_of(std::string_view header, std::size_t data_bytes = 0) {
  const std::uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  bytes += header;
  return bytes + std::string(data_bytes, '\x11');
}

/// A file with the tensors given as members of the header.
std::string file_with(const std::string& members, std::size_t data_bytes) {
  return file_of("{" + members + "}", data_bytes);
}

SafetensorsFile read(const std::string& bytes) { return read_safetensors(bytes, "f"); }

NamedTensors small_tensors() {
  NamedTensors tensors;
  tensors.insert({"w.half", {2, 2}, {1, -2, 0.5F, 65504}, DType::f16});
  tensors.insert({"w.full", {3}, {0.1F, -0.0F, 1e-40F}, DType::f32});
  tensors.insert({"w.brain", {1, 3}, {1, 3e38F, -0.0F}, DType::bf16});
  tensors.insert({"a.scalar", {}, {7}, DType::f32});
  tensors.insert({"z.empty", {4, 0, 2}, {}, DType::f32});
  return tensors;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

}  // namespace

TEST_CASE("a file written by hand, byte for byte, reads as its numbers") {
  std::string bytes = file_with(R"("t":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                                R"("h":{"dtype":"F16","shape":[1],"data_offsets":[8,10]},)"
                                R"("b":{"dtype":"BF16","shape":[],"data_offsets":[10,12]})",
                                0);
  bytes += std::string("\x00\x00\x80\x3f\x00\x00\x20\xc0", 8);  // 1.0, -2.5
  bytes += std::string("\x00\x42", 2);                          // 3.0
  bytes += std::string("\x00\xc1", 2);                          // -8.0
  const SafetensorsFile file = read(bytes);
  CHECK(file.tensors.require("t", Shape{2}).data == std::vector<float>{1.0F, -2.5F});
  CHECK(file.tensors.require("h", Shape{1}).data == std::vector<float>{3.0F});
  CHECK(file.tensors.require("b", Shape{}).data == std::vector<float>{-8.0F});
  CHECK(file.tensors.require("h").stored_as == DType::f16);
}

TEST_CASE("a file of another program reads with the shapes and names of its model") {
  const auto bytes = test::read_shared_data("models/tiny-random-gpt2/model.safetensors");
  if (!bytes) return;
  const SafetensorsFile file = read(*bytes);
  CHECK(file.metadata == SafetensorsMetadata{{"format", "pt"}});
  CHECK(file.tensors.size() == 64);
  CHECK(file.tensors.require("transformer.wte.weight", Shape{1000, 32}).data.size() == 32000);
  CHECK(file.tensors.require("transformer.h.0.attn.c_attn.weight").shape == Shape{32, 96});
  for (const float number : file.tensors.require("transformer.h.0.ln_1.weight").data) CHECK(number == 1.0F);
  const SafetensorsFile again = read(write_safetensors(file.tensors, file.metadata));
  CHECK(again.metadata == file.metadata);
  for (const auto& [name, tensor] : file.tensors)
    CHECK(same_bits(again.tensors.require(name, tensor.shape).data, tensor.data));
}

TEST_CASE("what is written reads back bit for bit, dtypes and metadata included") {
  const NamedTensors tensors = small_tensors();
  const SafetensorsMetadata metadata = {{"format", "pt"}, {"note", "a \"quoted\" \xc3\xa9"}};
  const SafetensorsFile file = read(write_safetensors(tensors, metadata));
  CHECK(file.metadata == metadata);
  CHECK(file.tensors.size() == tensors.size());
  for (const auto& [name, tensor] : tensors) {
    CAPTURE(name);
    const Tensor& found = file.tensors.require(name, tensor.shape);
    CHECK(found.stored_as == tensor.stored_as);
    for (std::size_t i = 0; i < tensor.data.size(); ++i) {
      const float expected =
          tensor.stored_as == DType::bf16 ? bf16_to_f32(f32_to_bf16(tensor.data[i])) : tensor.data[i];
      CHECK(std::bit_cast<std::uint32_t>(found.data[i]) == std::bit_cast<std::uint32_t>(expected));
    }
  }
  CHECK(read(write_safetensors({})).tensors.empty());
}

TEST_CASE("every bit pattern of f16 and of float32 NaNs passes through a file") {
  std::vector<float> halves;
  for (unsigned half = 0; half < 0x10000; ++half) {
    if ((half & 0x7E00) != 0x7C00 || (half & 0x3FF) == 0)
      halves.push_back(f16_to_f32(static_cast<std::uint16_t>(half)));
  }
  NamedTensors tensors;
  tensors.insert({"h", {halves.size()}, halves, DType::f16});
  tensors.insert(
      {"n", {2}, {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}, DType::f32});
  const SafetensorsFile file = read(write_safetensors(tensors));
  CHECK(same_bits(file.tensors.require("h").data, halves));
  CHECK(same_bits(file.tensors.require("n").data, tensors.require("n").data));
}

TEST_CASE("the same tensors give the same bytes, float32 first so that every number is aligned") {
  const std::string bytes = write_safetensors(small_tensors(), {{"k", "v"}});
  NamedTensors reversed;
  const NamedTensors tensors = small_tensors();
  std::vector<const Tensor*> order;
  for (const auto& [name, tensor] : tensors) order.insert(order.begin(), &tensor);
  for (const Tensor* tensor : order) reversed.insert(*tensor);
  CHECK(write_safetensors(reversed, {{"k", "v"}}) == bytes);
  const SafetensorsHeader header = read_safetensors_header(bytes, "f");
  std::string names;
  for (const SafetensorsEntry& entry : header.entries) {
    names += entry.name + " ";
    CHECK(entry.begin % (entry.dtype == "F32" ? 4 : 2) == 0);
  }
  CHECK(names == "a.scalar w.full z.empty w.half w.brain ");
  CHECK(header.entries.front().begin % 8 == 0);
}

TEST_CASE("raw tensors of any dtype are written in the order given, and read back as their bytes") {
  const std::vector<RawTensor> tensors = {{"t", "I32", {2}, std::string("\1\0\0\0\xFF\xFF\xFF\x7F", 8)},
                                          {"none", "F32", {3, 0, 2}, ""},
                                          {"q", "I8", {1, 3}, "\x81\x7F\x01"}};
  const std::string bytes = write_safetensors(tensors, {{"k", "v"}});
  const SafetensorsHeader header = read_safetensors_header(bytes, "f");
  CHECK(header.metadata == SafetensorsMetadata{{"k", "v"}});
  REQUIRE(header.entries.size() == 3);
  for (const RawTensor& tensor : tensors) {
    const auto entry = std::find_if(header.entries.begin(), header.entries.end(),
                                    [&](const SafetensorsEntry& e) { return e.name == tensor.name; });
    REQUIRE(entry != header.entries.end());
    CHECK(entry->dtype == tensor.dtype);
    CHECK(entry->shape == tensor.shape);
    CHECK(bytes.substr(entry->begin, entry->end - entry->begin) == tensor.bytes);
  }
  CHECK_ERROR(ErrorCode::unsupported_format, "found I", read(bytes));
  const std::vector<RawTensor> wrong = {{"q", "I8", {4}, "abc"}};
  CHECK_ERROR(ErrorCode::internal, "q: expected the bytes of I8 of shape [4], found 3", write_safetensors(wrong, {}));
}

TEST_CASE("a finite number that would become infinite in half precision is refused by name; an infinity may stay one") {
  NamedTensors tensors;
  tensors.insert({"w", {1}, {65520.0F}, DType::f16});
  CHECK_ERROR(ErrorCode::not_finite, "\"w\": expected numbers within the range of F16, found 65520",
              write_safetensors(tensors));
  NamedTensors infinite;
  infinite.insert({"w", {1}, {std::numeric_limits<float>::infinity()}, DType::f16});
  CHECK(std::isinf(read(write_safetensors(infinite)).tensors.require("w").data[0]));
}

TEST_CASE("a length that the file cannot hold is refused before anything is allocated") {
  CHECK_ERROR(kBad, "expected at least 8 bytes for the header's length, found 0", read(""));
  CHECK_ERROR(kBad, "expected at least 8 bytes", read(std::string(7, '\0')));
  CHECK_ERROR(kBad, "expected a header that begins with {", read(std::string(8, '\0')));
  CHECK_ERROR(kBad, "expected a header of at most 100000000 bytes, found 18446744073709551615",
              read(std::string(8, '\xff')));
  CHECK_ERROR(kBad, "expected a header of at most 100000000 bytes, found 100000001",
              read(std::string("\x01\xe1\xf5\x05\0\0\0\0", 8) + "{}"));
  CHECK_ERROR(kBad, "expected a header of 100000000 bytes, found 2",
              read(std::string("\x00\xe1\xf5\x05\0\0\0\0{}", 10)));
  CHECK_ERROR(kBad, "expected a header of 3 bytes, found 2", read(std::string("\x03\0\0\0\0\0\0\0{}", 10)));
}

TEST_CASE("a header that is not one strict JSON object is refused") {
  CHECK_ERROR(kBad, "begins with {", read(file_of(" {}")));
  CHECK_ERROR(kBad, "begins with {", read(file_of("[]")));
  CHECK_ERROR(ErrorCode::bad_json, "f: header: line 1", read(file_of("{} {}")));
  CHECK_ERROR(ErrorCode::bad_json, "f: header", read(file_of("{\"\xff\":1}")));
  CHECK_ERROR(ErrorCode::bad_json, "f: header", read(file_of(std::string("{}\0\0", 4))));
  CHECK(read(file_of("{}   ")).tensors.empty());
}

TEST_CASE("repeated names are refused, of tensors and of fields") {
  const std::string t = R"("t":{"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
  CHECK_ERROR(ErrorCode::bad_json, "the key \"t\" twice", read(file_with(t + "," + t, 4)));
  CHECK_ERROR(ErrorCode::bad_json, "the key \"shape\" twice",
              read(file_with(R"("t":{"dtype":"F32","shape":[1],"shape":[1],"data_offsets":[0,4]})", 4)));
}

TEST_CASE("deep nesting is refused at once") {
  CHECK_ERROR(ErrorCode::bad_json, "nesting of at most 4", read(file_of("{\"t\":" + std::string(5'000'000, '['))));
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  CHECK_ERROR(ErrorCode::bad_json, "nesting of at most 4", read(file_of(objects)));
}

TEST_CASE("a hundred thousand tensors, or millions of numbers in a shape, are refused quickly") {
  std::string many = R"("t0":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})";
  for (int i = 1; i < 100'000; ++i) many += str(",\"t", i, R"(":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})");
  CHECK_ERROR(kBad, "expected at most 65536 tensors, found 100000", read(file_with(many, 0)));
  std::string zeros = "0";
  for (int i = 0; i < 2'100'000; ++i) zeros += ",0";
  CHECK_ERROR(ErrorCode::bad_json, "at most 2000000 values",
              read(file_with(str(R"("t":{"dtype":"F32","shape":[)", zeros, R"(],"data_offsets":[0,0]})"), 0)));
}

TEST_CASE("a shape whose size wraps around 64 bits is refused, whatever it wraps to") {
  for (const char* shape : {"[4294967296,4294967296]",        // 2^64 elements: 0
                            "[9223372036854775807,2]",        // 2^64 - 2
                            "[4611686018427387904]",          // x 4 bytes: 0
                            "[4611686018427387905]",          // x 4 bytes: 4
                            "[4398046511105,4398046511105]",  // (2^42 + 1)^2
                            "[2147483648,2147483648,4]", "[65536,65536,65536,65536]", "[3,6148914691236517205]"}) {
    CAPTURE(shape);
    for (const int end : {0, 4, 8}) {
      CHECK_ERROR(
          kBad, "expected a size below 2^64 bytes",
          read(file_with(str(R"("t":{"dtype":"F32","shape":)", shape, R"(,"data_offsets":[0,)", end, "]}"), 8)));
    }
  }
  CHECK_ERROR(kBad, "shape[0]: expected an integer from 0 to 9223372036854775807, found 9223372036854775808",
              read(file_with(R"("t":{"dtype":"F32","shape":[9223372036854775808],"data_offsets":[0,0]})", 0)));
  // A zero makes the product zero, even beside dimensions that would not fit.
  CHECK_NOTHROW(read(file_with(R"("t":{"dtype":"F32","shape":[9223372036854775807,4,0],"data_offsets":[0,0]})", 0)));
}

TEST_CASE("a size that is not that of the shape is refused with both") {
  CHECK_ERROR(kBad, "f: tensor \"t\": expected 8 bytes for F32 of shape [2], found 4",
              read(file_with(R"("t":{"dtype":"F32","shape":[2],"data_offsets":[0,4]})", 4)));
  CHECK_ERROR(kBad, "expected 4 bytes for F32 of shape []",
              read(file_with(R"("t":{"dtype":"F32","shape":[],"data_offsets":[0,0]})", 0)));
}

TEST_CASE("offsets outside the file, backwards, with gaps, overlapping or leaving bytes over are refused") {
  const auto t = [](const char* name, int begin, int end) {
    return str('"', name, R"(":{"dtype":"F32","shape":[)", (end - begin) / 4, R"(],"data_offsets":[)", begin, ",", end,
               "]}");
  };
  CHECK_NOTHROW(read(file_with(t("a", 0, 8) + "," + t("b", 8, 12), 12)));
  CHECK_NOTHROW(read(file_with(t("b", 8, 12) + "," + t("a", 0, 8), 12)));  // the order of the header is free
  CHECK_ERROR(kBad, "tensor \"b\": expected its end within the 11 bytes of numbers, found 12",
              read(file_with(t("a", 0, 8) + "," + t("b", 8, 12), 11)));
  CHECK_ERROR(kBad, "tensor \"b\": expected it to begin at 8, where the one before it ends, found 12",
              read(file_with(t("a", 0, 8) + "," + t("b", 12, 16), 16)));
  CHECK_ERROR(kBad, "tensor \"b\": expected it to begin at 8, where the one before it ends, found 4",
              read(file_with(t("a", 0, 8) + "," + t("b", 4, 12), 12)));
  CHECK_ERROR(kBad, "tensor \"b\": expected it to begin at 8", read(file_with(t("a", 0, 8) + "," + t("b", 0, 8), 8)));
  CHECK_ERROR(kBad, "tensor \"a\": expected it to begin at 0", read(file_with(t("a", 4, 8), 8)));
  CHECK_ERROR(kBad, "expected tensors to fill the 12 bytes after the header, found 8 bytes described",
              read(file_with(t("a", 0, 8), 12)));
  CHECK_ERROR(kBad, "expected tensors to fill the 1 bytes", read(file_of("{}", 1)));
  CHECK_ERROR(kBad, "expected [begin, end] with begin <= end, found [8,4]",
              read(file_with(R"("t":{"dtype":"F32","shape":[1],"data_offsets":[8,4]})", 8)));
  for (const char* offsets : {"[0]", "[0,4,8]", "[]"}) {
    CHECK_ERROR(kBad, "expected [begin, end]",
                read(file_with(str(R"("t":{"dtype":"F32","shape":[1],"data_offsets":)", offsets, "}"), 4)));
  }
  CHECK_ERROR(kBad, "within the 4 bytes",
              read(file_with(
                  R"("t":{"dtype":"F32","shape":[1],"data_offsets":[9223372036854775803,9223372036854775807]})", 4)));
}

TEST_CASE("fields of the wrong type, missing or unknown are refused by name") {
  CHECK_ERROR(kBad, "f: tensor \"t\": expected an object, found 1", read(file_with(R"("t":1)", 0)));
  CHECK_ERROR(kBad, "dtype: expected a string, found nothing",
              read(file_with(R"("t":{"shape":[1],"data_offsets":[0,4]})", 4)));
  CHECK_ERROR(kBad, "shape: expected an array of integers, found nothing",
              read(file_with(R"("t":{"dtype":"F32","data_offsets":[0,4]})", 4)));
  CHECK_ERROR(kBad, "data_offsets: expected an array of integers, found \"0\"",
              read(file_with(R"("t":{"dtype":"F32","shape":[1],"data_offsets":"0"})", 4)));
  CHECK_ERROR(kBad, "shape[0]: expected an integer from 0",
              read(file_with(R"("t":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]})", 4)));
  CHECK_ERROR(kBad, "shape[0]: expected an integer",
              read(file_with(R"("t":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]})", 4)));
  CHECK_ERROR(kBad, "data_offsets[0]: expected an integer",
              read(file_with(R"("t":{"dtype":"F32","shape":[1],"data_offsets":[-4,0]})", 4)));
  CHECK_ERROR(kBad, "expected known keys only, found \"strides\"",
              read(file_with(R"("t":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"strides":[1]})", 4)));
  CHECK_ERROR(kBad, "shape: expected at most 8 dimensions, found 9",
              read(file_with(R"("t":{"dtype":"F32","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,4]})", 4)));
}

TEST_CASE("a dtype that the format does not know is malformed, one that we do not compute with is unsupported") {
  CHECK_ERROR(kBad, "dtype: expected one of the format's, found \"F31\"",
              read(file_with(R"("t":{"dtype":"F31","shape":[1],"data_offsets":[0,4]})", 4)));
  CHECK_ERROR(ErrorCode::unsupported_format, "f: tensor \"t\": expected dtype F32, F16 or BF16, found I64",
              read(file_with(R"("t":{"dtype":"I64","shape":[1],"data_offsets":[0,8]})", 8)));
  CHECK(read_safetensors_header(file_with(R"("t":{"dtype":"I64","shape":[1],"data_offsets":[0,8]})", 8), "f")
            .entries.size() == 1);
}

TEST_CASE("metadata hold texts only") {
  CHECK_ERROR(kBad, "f: __metadata__: \"n\": expected a string, found number",
              read(file_with(R"("__metadata__":{"n":1})", 0)));
  CHECK_ERROR(kBad, "f: __metadata__: expected an object", read(file_with(R"("__metadata__":["a"])", 0)));
  CHECK(read(file_with(R"("__metadata__":{"":""})", 0)).metadata == SafetensorsMetadata{{"", ""}});
}

TEST_CASE("a name that other languages treat as special is only a name") {
  const SafetensorsFile file = read(file_with(R"("__proto__":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                                              R"("":{"dtype":"F32","shape":[0],"data_offsets":[4,4]})",
                                              4));
  CHECK(file.tensors.find("__proto__") != nullptr);
  CHECK(file.tensors.find("") != nullptr);
}

TEST_CASE("no prefix of a file loads, and no changed bit does more than load or be refused") {
  const std::string bytes = write_safetensors(small_tensors(), {{"k", "v"}});
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CHECK_THROWS_AS(read(bytes.substr(0, size)), Error);
  }
  CHECK_THROWS_AS(read(bytes + "x"), Error);
  int refused = 0;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string changed = bytes;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
    try {
      read(changed);
    } catch (const Error&) {
      ++refused;
    }
  }
  CHECK(refused > 1000);
}
