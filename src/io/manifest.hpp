// The manifest of a bundle: which file is which part, with its size and SHA-256, and what the model is held to.
// It describes bytes; what a part means is for those who read the part.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/token_id.hpp"

namespace vitrine {

/// The parts that a bundle cannot do without. Others (a licence, a baseline) may stand beside them and are verified
/// alike.
inline constexpr std::string_view kRequiredParts[] = {"weights", "tokenizer", "architecture", "generation", "template"};
inline constexpr std::string_view kManifestFile = "manifest.json";
inline constexpr std::uint64_t kMaxManifestBytes = std::uint64_t{1} << 20;
inline constexpr std::string_view kBundleFormat = "vitrine-bundle";  ///< what a manifest calls itself

struct ManifestPart {
  std::string name;  ///< what it is: lower-case letters, digits and underscores, "weights"
  std::string file;  ///< where it is: a plain file name beside the manifest, "model.safetensors"
  std::uint64_t bytes = 0;
  std::string sha256;  ///< 64 lower-case hexadecimal digits
};

/// What the loaded model must reproduce before it serves: the hash of the logits [V], float32 little-endian, that
/// follow these token ids.
struct SelfTestVector {
  std::vector<TokenId> tokens;
  std::string logits_sha256;
};

struct Manifest {
  std::string name;           ///< "shell"
  std::string model_version;  ///< "1.0.0"
  std::vector<ManifestPart> parts;
  std::optional<SelfTestVector> self_test;
  JsonDocument corpus = Json::object();    ///< provenance: free, but an object
  JsonDocument training = Json::object();  ///< how it was trained: free, but an object
  JsonDocument held_out = Json::object();  ///< what was measured: free, but an object

  const ManifestPart* find(std::string_view part) const;

  /// Throws bad_manifest if there is no such part.
  const ManifestPart& require(std::string_view part) const;
};

/// Throws bad_json; unsupported_format for another version; bad_manifest, naming the field, for anything else that is
/// missing, unknown, of the wrong type, repeated, or a file name that is not plain.
Manifest parse_manifest(std::string_view text);

/// The text of a manifest, indented; checked by reading it back, so it throws what parse_manifest throws.
std::string write_manifest(const Manifest& manifest);

/// Throws part_mismatch, naming part and file, unless the manifest gives the part this size.
void verify_part_size(const Manifest& manifest, std::string_view part, std::uint64_t bytes);
/// The same for the size and the hash of its bytes.
void verify_part(const Manifest& manifest, std::string_view part, std::string_view bytes);

/// Whether a name can be a file beside the manifest on every system: 1 to 100 letters, digits, dots, dashes and
/// underscores, not beginning with a dot.
bool is_plain_file_name(std::string_view name);

}  // namespace vitrine
