// The hash covers names, shapes, numbers and state, not the layout of the file, which safetensors checks itself.
#include "io/sealed_file.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "base/check.hpp"
#include "base/sha256.hpp"
#include "io/safetensors.hpp"

namespace vitrine {
namespace {

constexpr std::string_view kFields[] = {"format", "version", "state", "sha256"};
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

SealedContent open_file(const SealedKind& kind, SafetensorsFile file, std::string_view where) {
  const auto field = [&](const std::string& key) -> const std::string& {
    const auto place = file.metadata.find(key);
    VITRINE_CHECK(place != file.metadata.end(), kind.damaged, where, ": __metadata__: expected a field ", key,
                  ", found none");
    return place->second;
  };
  const std::string& format = field("format");
  VITRINE_CHECK(format == kind.format, kind.damaged, where, ": format: expected ", kind.format, ", found ",
                in_quotes(format));
  const std::string& version = field("version");
  VITRINE_CHECK(version == kind.version, ErrorCode::unsupported_format, where, ": version: expected ", kind.version,
                ", found ", in_quotes(version));
  const std::string& state = field("state");
  const std::string& expected = field("sha256");
  for (const auto& [key, text] : file.metadata) {
    const bool known = std::find(std::begin(kFields), std::end(kFields), key) != std::end(kFields);
    VITRINE_CHECK(known, kind.damaged, where, ": __metadata__: expected known fields only, found ", in_quotes(key));
  }
  for (const auto& [name, tensor] : file.tensors) {
    VITRINE_CHECK(tensor.stored_as == DType::f32, kind.damaged, where, ": ", in_quotes(name),
                  ": expected float32, found ", dtype_name(tensor.stored_as));
  }
  const std::string found = content_hash(file.tensors, state);
  VITRINE_CHECK(found == expected, kind.damaged, where, ": expected content of SHA-256 ", in_quotes(expected),
                ", found ", found);
  SealedContent content;
  content.state = parse_json(state, str(where, ": state"), kStateLimits);
  content.tensors = std::move(file.tensors);
  return content;
}

}  // namespace

std::string seal(const SealedKind& kind, const SealedContent& content) {
  for (const auto& [name, tensor] : content.tensors) {
    VITRINE_CHECK(tensor.stored_as == DType::f32, ErrorCode::internal, name, ": expected float32, found ",
                  dtype_name(tensor.stored_as));
  }
  const std::string state = json_text(content.state);
  return write_safetensors(content.tensors, {{"format", std::string(kind.format)},
                                             {"version", std::string(kind.version)},
                                             {"state", state},
                                             {"sha256", content_hash(content.tensors, state)}});
}

SealedContent unseal(const SealedKind& kind, std::string_view bytes, std::string_view where) {
  try {
    return open_file(kind, read_safetensors(bytes, where), where);
  } catch (const Error& error) {
    // To who wants a file of this kind all of these are one thing: this is none.
    const ErrorCode code = error.code();
    if (code == ErrorCode::bad_safetensors || code == ErrorCode::bad_json) fail(kind.damaged, error.message());
    throw;
  }
}

}  // namespace vitrine
