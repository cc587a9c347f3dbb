// A sealed file: float32 tensors by name and a state as JSON, in a safetensors file with one hash over both.
// What kinds there are, and which tensors and which state belong into one, others say: checkpoints, baselines.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/json.hpp"
#include "tensor/named_tensors.hpp"

namespace vitrine {

struct SealedKind {
  std::string_view format;   ///< as the file names its kind, for example "vitrine-checkpoint"
  std::string_view version;  ///< of what is in it
  ErrorCode damaged;         ///< the code for a file that is damaged, cut short or of another kind
};

struct SealedContent {
  NamedTensors tensors;  ///< all float32
  JsonDocument state = Json::object();
};

/// The bytes of a file: equal content gives equal bytes.
std::string seal(const SealedKind& kind, const SealedContent& content);

/// Throws `kind.damaged` unless the bytes are a whole file of that kind, and unsupported_format for another version.
SealedContent unseal(const SealedKind& kind, std::string_view bytes, std::string_view where);

}  // namespace vitrine
