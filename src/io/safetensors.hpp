// The safetensors format (huggingface.co/docs/safetensors): an 8-byte length, a JSON header, the numbers.
// Reads f32, f16 and bf16 from bytes in memory; knows nothing of files or of which tensors a model needs.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/named_tensors.hpp"

namespace vitrine {

using SafetensorsMetadata = std::map<std::string, std::string>;

struct SafetensorsEntry {
  std::string name;
  std::string dtype;  ///< as written, for example "F32" or "I64"
  Shape shape;
  std::uint64_t begin = 0;  ///< bytes from the start of the file
  std::uint64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  ///< in the order of their bytes
  SafetensorsMetadata metadata;
};

/// A tensor as the bytes that a file holds, of any dtype of the format.
struct RawTensor {
  std::string name;
  std::string dtype;
  Shape shape;
  std::string bytes;  ///< little-endian
};

struct SafetensorsFile {
  NamedTensors tensors;
  SafetensorsMetadata metadata;
};

inline constexpr std::uint64_t kSafetensorsMaxHeaderBytes = 100'000'000;
inline constexpr std::uint64_t kSafetensorsMaxTensors = 65'536;
inline constexpr std::size_t kSafetensorsMaxRank = 8;

/// Checks the whole layout before a single number is read: the tensors' bytes follow each other without gap or overlap
/// and fill the file exactly. `where` names the file in errors. Throws bad_safetensors or bad_json.
SafetensorsHeader read_safetensors_header(std::string_view bytes, std::string_view where);

/// Every tensor, widened to float32. Throws as above, and unsupported_format for a dtype other than F32, F16, BF16.
SafetensorsFile read_safetensors(std::string_view bytes, std::string_view where);

/// The bytes of a file: the same tensors and metadata give the same bytes. Tensors go by dtype (F32 first, so that all
/// stay aligned), then by name. Throws not_finite, naming the tensor, if a finite number would become infinite in its
/// storage dtype.
std::string write_safetensors(const NamedTensors& tensors, const SafetensorsMetadata& metadata = {});

/// The same for tensors in the order given, those of the widest numbers first; read_safetensors_header reads them back.
std::string write_safetensors(std::span<const RawTensor> tensors, const SafetensorsMetadata& metadata);

}  // namespace vitrine
