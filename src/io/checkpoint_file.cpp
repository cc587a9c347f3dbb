// The hash covers names, shapes, numbers and state, not the layout of the file, which safetensors checks itself.
#include "io/checkpoint_file.hpp"

#include <utility>

#include "base/check.hpp"
#include "base/sha256.hpp"
#include "io/atomic_file.hpp"
#include "io/safetensors.hpp"

namespace vitrine {
namespace {

constexpr std::string_view kFormat = "vitrine-checkpoint";
constexpr std::string_view kVersion = "1";
constexpr JsonLimits kStateLimits = {std::uint64_t{16} << 20, 1'000'000, 32};

std::string content_hash(const NamedTensors& tensors, std::string_view state) {
  Sha256 hash;
  // Lengths before contents, so that no two different contents feed the same bytes.
  hash.update(str(state.size(), ":"));
  hash.update(state);
  for (const auto& [name, tensor] : tensors) {
    hash.update(str(name.size(), ":", name, shape_text(tensor.shape)));
    hash.update({reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size() * sizeof(float)});
  }
  return hash.finish_hex();
}

const std::string& field(const SafetensorsMetadata& metadata, const std::string& key, std::string_view where) {
  const auto place = metadata.find(key);
  VITRINE_CHECK(place != metadata.end(), ErrorCode::bad_checkpoint, where, ": __metadata__: expected a field ", key,
                ", found none");
  return place->second;
}

CheckpointFile parse_file(SafetensorsFile file, std::string_view where) {
  const std::string& format = field(file.metadata, "format", where);
  VITRINE_CHECK(format == kFormat, ErrorCode::bad_checkpoint, where, ": format: expected ", kFormat, ", found ",
                in_quotes(format));
  const std::string& version = field(file.metadata, "version", where);
  VITRINE_CHECK(version == kVersion, ErrorCode::unsupported_format, where, ": version: expected ", kVersion, ", found ",
                in_quotes(version));
  const std::string& state = field(file.metadata, "state", where);
  const std::string& expected = field(file.metadata, "sha256", where);
  for (const auto& [name, tensor] : file.tensors) {
    VITRINE_CHECK(tensor.stored_as == DType::f32, ErrorCode::bad_checkpoint, where, ": ", name,
                  ": expected float32, found ", dtype_name(tensor.stored_as));
  }
  const std::string found = content_hash(file.tensors, state);
  VITRINE_CHECK(found == expected, ErrorCode::bad_checkpoint, where, ": expected content of SHA-256 ",
                in_quotes(expected), ", found ", found);
  CheckpointFile checkpoint;
  checkpoint.state = parse_json(state, str(where, ": state"), kStateLimits);
  checkpoint.tensors = std::move(file.tensors);
  return checkpoint;
}

}  // namespace

std::string checkpoint_bytes(const CheckpointFile& checkpoint) {
  for (const auto& [name, tensor] : checkpoint.tensors) {
    VITRINE_CHECK(tensor.stored_as == DType::f32, ErrorCode::internal, name, ": expected float32, found ",
                  dtype_name(tensor.stored_as));
  }
  const std::string state = json_text(checkpoint.state);
  return write_safetensors(checkpoint.tensors, {{"format", std::string(kFormat)},
                                                {"version", std::string(kVersion)},
                                                {"state", state},
                                                {"sha256", content_hash(checkpoint.tensors, state)}});
}

CheckpointFile parse_checkpoint(std::string_view bytes, std::string_view where) {
  try {
    return parse_file(read_safetensors(bytes, where), where);
  } catch (const Error& error) {
    // To the trainer all of these are one thing: this file cannot be continued from.
    const ErrorCode code = error.code();
    if (code == ErrorCode::bad_safetensors || code == ErrorCode::bad_json) {
      fail(ErrorCode::bad_checkpoint, error.message());
    }
    throw;
  }
}

void write_checkpoint(const std::string& path, const CheckpointFile& checkpoint) {
  write_file_atomically(path, checkpoint_bytes(checkpoint));
}

CheckpointFile read_checkpoint(const std::string& path, std::uint64_t max_bytes) {
  return parse_checkpoint(read_file(path, max_bytes), path);
}

}  // namespace vitrine
