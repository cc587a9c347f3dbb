// Header first, completely: lengths against the bytes there are, products in checked 64-bit arithmetic, coverage.
// Only then is memory allocated, and never more than a small multiple of the file.
#include "io/safetensors.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <tuple>
#include <utility>

#include "base/check.hpp"
#include "base/half.hpp"
#include "base/json.hpp"

namespace vitrine {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors stores little-endian numbers");

constexpr std::size_t kLengthBytes = 8;
constexpr std::string_view kMetadataKey = "__metadata__";

struct KnownDType {
  std::string_view name;
  std::uint64_t bytes;
};
constexpr std::array kKnownDTypes = {
    KnownDType{"F64", 8},  KnownDType{"F32", 4},     KnownDType{"F16", 2},     KnownDType{"BF16", 2},
    KnownDType{"I64", 8},  KnownDType{"I32", 4},     KnownDType{"I16", 2},     KnownDType{"I8", 1},
    KnownDType{"U64", 8},  KnownDType{"U32", 4},     KnownDType{"U16", 2},     KnownDType{"U8", 1},
    KnownDType{"BOOL", 1}, KnownDType{"F8_E4M3", 1}, KnownDType{"F8_E5M2", 1},
};

std::uint64_t bytes_of_dtype(const std::string& dtype, const std::string& where) {
  for (const KnownDType& known : kKnownDTypes) {
    if (known.name == dtype) return known.bytes;
  }
  fail(ErrorCode::bad_safetensors, str(where, ": dtype: expected one of the format's, found ", in_quotes(dtype)));
}

std::optional<DType> readable_dtype(std::string_view name) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    if (dtype_name(dtype) == name) return dtype;
  }
  return std::nullopt;
}

/// elements x bytes, or nothing if that leaves 64 bits: such a tensor cannot be in the file.
std::optional<std::uint64_t> byte_count(const Shape& shape, std::uint64_t element_bytes) {
  if (std::find(shape.begin(), shape.end(), 0U) != shape.end()) return 0;
  std::uint64_t count = element_bytes;
  for (const std::uint64_t dimension : shape) {
    if (__builtin_mul_overflow(count, dimension, &count)) return std::nullopt;
  }
  return count;
}

SafetensorsEntry parse_entry(const std::string& name, const Json& value, std::string_view where) {
  const std::string place = str(where, ": tensor ", in_quotes(name));
  JsonObjectReader reader(value, place, ErrorCode::bad_safetensors);
  SafetensorsEntry entry{name, reader.string("dtype"), {}, 0, 0};
  const auto shape = reader.integers("shape", 0, INT64_MAX);
  const auto offsets = reader.integers("data_offsets", 0, INT64_MAX);
  reader.finish();
  VITRINE_CHECK(shape.size() <= kSafetensorsMaxRank, ErrorCode::bad_safetensors, place, ": shape: expected at most ",
                kSafetensorsMaxRank, " dimensions, found ", shape.size());
  VITRINE_CHECK(offsets.size() == 2 && offsets[0] <= offsets[1], ErrorCode::bad_safetensors, place,
                ": data_offsets: expected [begin, end] with begin <= end, found ",
                json_text(reader.value("data_offsets")).substr(0, 80));
  entry.shape.assign(shape.begin(), shape.end());
  entry.begin = static_cast<std::uint64_t>(offsets[0]);
  entry.end = static_cast<std::uint64_t>(offsets[1]);
  const auto expected = byte_count(entry.shape, bytes_of_dtype(entry.dtype, place));
  VITRINE_CHECK(expected.has_value(), ErrorCode::bad_safetensors, place, ": expected a size below 2^64 bytes, found ",
                entry.dtype, " of shape ", shape_text(entry.shape));
  VITRINE_CHECK(entry.end - entry.begin == *expected, ErrorCode::bad_safetensors, place, ": expected ", *expected,
                " bytes for ", entry.dtype, " of shape ", shape_text(entry.shape), ", found ", entry.end - entry.begin);
  return entry;
}

SafetensorsMetadata parse_metadata(const Json& value, std::string_view where) {
  const std::string place = str(where, ": ", kMetadataKey);
  JsonObjectReader reader(value, place, ErrorCode::bad_safetensors);
  SafetensorsMetadata metadata;
  for (const auto& [key, text] : value.get_ref<const Json::object_t&>()) {
    VITRINE_CHECK(text.is_string(), ErrorCode::bad_safetensors, place, ": ", in_quotes(key),
                  ": expected a string, found ", text.type_name());
    metadata.emplace(key, text.get<std::string>());
  }
  return metadata;
}

/// Sorts by position and demands that each tensor begins where the one before ended, and the last ends the file.
void require_coverage(std::vector<SafetensorsEntry>& entries, std::uint64_t data_bytes, std::string_view where) {
  std::sort(entries.begin(), entries.end(), [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  std::uint64_t position = 0;
  for (const SafetensorsEntry& entry : entries) {
    VITRINE_CHECK(entry.end <= data_bytes, ErrorCode::bad_safetensors, where, ": tensor ", in_quotes(entry.name),
                  ": expected its end within the ", data_bytes, " bytes of numbers, found ", entry.end);
    VITRINE_CHECK(entry.begin == position, ErrorCode::bad_safetensors, where, ": tensor ", in_quotes(entry.name),
                  ": expected it to begin at ", position, ", where the one before it ends, found ", entry.begin);
    position = entry.end;
  }
  VITRINE_CHECK(position == data_bytes, ErrorCode::bad_safetensors, where, ": expected tensors to fill the ",
                data_bytes, " bytes after the header, found ", position, " bytes described");
}

std::vector<float> widen(const char* bytes, std::size_t count, DType dtype) {
  std::vector<float> numbers(count);
  if (dtype == DType::f32) {
    if (count > 0) std::memcpy(numbers.data(), bytes, count * sizeof(float));
    return numbers;
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t half = 0;
    std::memcpy(&half, bytes + 2 * i, 2);
    numbers[i] = dtype == DType::f16 ? f16_to_f32(half) : bf16_to_f32(half);
  }
  return numbers;
}

void append_numbers(std::string& out, const Tensor& tensor) {
  if (tensor.stored_as == DType::f32) {
    out.append(reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size() * sizeof(float));
    return;
  }
  for (const float number : tensor.data) {
    const std::uint16_t half = tensor.stored_as == DType::f16 ? f32_to_f16(number) : f32_to_bf16(number);
    const float stored = tensor.stored_as == DType::f16 ? f16_to_f32(half) : bf16_to_f32(half);
    VITRINE_CHECK(std::isfinite(stored) || !std::isfinite(number), ErrorCode::not_finite, in_quotes(tensor.name),
                  ": expected numbers within the range of ", dtype_name(tensor.stored_as), ", found ", number);
    out.append(reinterpret_cast<const char*>(&half), sizeof(half));
  }
}

/// The length and the header of a file with these tensors, filled with spaces so that the numbers are aligned; room is
/// reserved for the numbers too.
std::string file_start(const std::vector<SafetensorsEntry>& entries, const SafetensorsMetadata& metadata) {
  Json header = Json::object();
  if (!metadata.empty()) append_member(header, std::string(kMetadataKey), Json(metadata));
  for (const SafetensorsEntry& tensor : entries) {
    VITRINE_CHECK(tensor.name != kMetadataKey, ErrorCode::internal, tensor.name,
                  ": expected a tensor's name, found a reserved one");
    Json entry = Json::object();
    entry["dtype"] = tensor.dtype;
    entry["shape"] = tensor.shape;
    entry["data_offsets"] = {tensor.begin, tensor.end};
    append_member(header, tensor.name, std::move(entry));
  }
  std::string text = json_text(header);
  text.append((kLengthBytes - text.size() % kLengthBytes) % kLengthBytes, ' ');
  const std::uint64_t header_bytes = text.size();
  const std::uint64_t data_bytes = entries.empty() ? 0 : entries.back().end;

  std::string out;
  out.reserve(checked_size(kLengthBytes + header_bytes + data_bytes, "safetensors file"));
  out.append(reinterpret_cast<const char*>(&header_bytes), kLengthBytes);
  return out += text;
}

}  // namespace

SafetensorsHeader read_safetensors_header(std::string_view bytes, std::string_view where) {
  VITRINE_CHECK(bytes.size() >= kLengthBytes, ErrorCode::bad_safetensors, where,
                ": expected at least 8 bytes for the header's length, found ", bytes.size());
  std::uint64_t header_bytes = 0;
  std::memcpy(&header_bytes, bytes.data(), kLengthBytes);
  VITRINE_CHECK(header_bytes <= kSafetensorsMaxHeaderBytes, ErrorCode::bad_safetensors, where,
                ": expected a header of at most ", kSafetensorsMaxHeaderBytes, " bytes, found ", header_bytes);
  VITRINE_CHECK(header_bytes <= bytes.size() - kLengthBytes, ErrorCode::bad_safetensors, where,
                ": expected a header of ", header_bytes, " bytes, found ", bytes.size() - kLengthBytes,
                " bytes after its length");
  const auto text = bytes.substr(kLengthBytes, static_cast<std::size_t>(header_bytes));
  VITRINE_CHECK(text.starts_with('{'), ErrorCode::bad_safetensors, where,
                ": expected a header that begins with {, found ", in_quotes(text.substr(0, 1)));
  const JsonDocument json = parse_json(text, str(where, ": header"), {kSafetensorsMaxHeaderBytes, 2'000'000, 4});

  SafetensorsHeader header;
  const auto& members = json.value().get_ref<const Json::object_t&>();
  VITRINE_CHECK(members.size() <= kSafetensorsMaxTensors + 1, ErrorCode::bad_safetensors, where, ": expected at most ",
                kSafetensorsMaxTensors, " tensors, found ", members.size());
  for (const auto& [name, value] : members) {
    if (name == kMetadataKey) {
      header.metadata = parse_metadata(value, where);
    } else {
      header.entries.push_back(parse_entry(name, value, where));
    }
  }
  const std::uint64_t data_start = kLengthBytes + header_bytes;
  require_coverage(header.entries, bytes.size() - data_start, where);
  for (SafetensorsEntry& entry : header.entries) {
    entry.begin += data_start;
    entry.end += data_start;
  }
  return header;
}

SafetensorsFile read_safetensors(std::string_view bytes, std::string_view where) {
  SafetensorsHeader header = read_safetensors_header(bytes, where);
  for (const SafetensorsEntry& entry : header.entries) {
    VITRINE_CHECK(readable_dtype(entry.dtype).has_value(), ErrorCode::unsupported_format, where, ": tensor ",
                  in_quotes(entry.name), ": expected dtype F32, F16 or BF16, found ", entry.dtype);
  }
  SafetensorsFile file;
  file.metadata = std::move(header.metadata);
  for (SafetensorsEntry& entry : header.entries) {
    const DType dtype = *readable_dtype(entry.dtype);
    const auto count = static_cast<std::size_t>((entry.end - entry.begin) / dtype_bytes(dtype));
    std::vector<float> numbers = widen(bytes.data() + static_cast<std::size_t>(entry.begin), count, dtype);
    file.tensors.insert({std::move(entry.name), std::move(entry.shape), std::move(numbers), dtype});
  }
  return file;
}

std::string write_safetensors(const NamedTensors& tensors, const SafetensorsMetadata& metadata) {
  std::vector<SafetensorsEntry> entries;
  std::vector<const Tensor*> order;
  std::uint64_t position = 0;
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    for (const auto& [name, tensor] : tensors) {
      if (tensor.stored_as != dtype) continue;
      const std::uint64_t begin = position;
      position += std::uint64_t{tensor.data.size()} * dtype_bytes(dtype);
      entries.push_back({name, std::string(dtype_name(dtype)), tensor.shape, begin, position});
      order.push_back(&tensor);
    }
  }
  std::string out = file_start(entries, metadata);
  for (const Tensor* tensor : order) append_numbers(out, *tensor);
  return out;
}

std::string write_safetensors(std::span<const RawTensor> tensors, const SafetensorsMetadata& metadata) {
  std::vector<SafetensorsEntry> entries;
  std::uint64_t position = 0;
  for (const RawTensor& tensor : tensors) {
    const auto expected = byte_count(tensor.shape, bytes_of_dtype(tensor.dtype, tensor.name));
    VITRINE_CHECK(expected == tensor.bytes.size(), ErrorCode::internal, tensor.name, ": expected the bytes of ",
                  tensor.dtype, " of shape ", shape_text(tensor.shape), ", found ", tensor.bytes.size());
    entries.push_back({tensor.name, tensor.dtype, tensor.shape, position, position + tensor.bytes.size()});
    position += tensor.bytes.size();
  }
  std::string out = file_start(entries, metadata);
  for (const RawTensor& tensor : tensors) out += tensor.bytes;
  return out;
}

}  // namespace vitrine
