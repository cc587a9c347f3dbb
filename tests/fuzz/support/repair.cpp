#include "support/repair.hpp"

#include <cstdint>
#include <cstring>
#include <map>
#include <optional>

#include "base/check.hpp"
#include "base/json.hpp"
#include "base/sha256.hpp"
#include "support/folder_input.hpp"
#include "tensor/tensor.hpp"

namespace vitrine::fuzz {
namespace {

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kMaxNumbers = 4096;  // bytes of numbers in a repaired file

/// The end of the JSON object that begins at text[begin]; the text's end if it is not closed.
std::size_t object_end(std::string_view text, std::size_t begin) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (quoted) {
      if (text[i] == '\\') ++i;
      if (i < text.size() && text[i] == '"') quoted = false;
    } else if (text[i] == '"') {
      quoted = true;
    } else if (text[i] == '{') {
      ++depth;
    } else if (text[i] == '}' && --depth == 0) {
      return i + 1;
    }
  }
  return text.size();
}

std::optional<Json> parse(std::string_view text) {
  try {
    return parse_json(text, "repair").value();
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Bytes of a tensor as its entry describes it, or nothing if that makes no sense or is too much.
std::optional<std::uint64_t> described_bytes(const Json& entry) {
  if (!entry.is_object() || !entry.contains("dtype") || !entry.contains("shape")) return std::nullopt;
  if (!entry["shape"].is_array()) return std::nullopt;  // a number would be gone through as if it stood in a list
  const Json& dtype = entry["dtype"];
  std::uint64_t bytes = dtype == "F32" || dtype == "I32" ? 4 : dtype == "I8" ? 1 : 2;
  for (const Json& dimension : entry["shape"]) {
    if (!dimension.is_number_unsigned() || dimension.get<std::uint64_t>() > kMaxNumbers) return std::nullopt;
    bytes *= dimension.get<std::uint64_t>();
    if (bytes > kMaxNumbers) return std::nullopt;
  }
  return bytes;
}

/// Lays the tensors one behind the other; returns the bytes they need.
std::uint64_t lay_out(Json& header) {
  std::uint64_t position = 0;
  for (auto& [name, entry] : header.get_ref<Json::object_t&>()) {
    if (name == "__metadata__") continue;
    const auto bytes = described_bytes(entry);
    if (!bytes) continue;
    entry["data_offsets"] = {position, position + *bytes};
    position += *bytes;
  }
  return position;
}

struct Parts {
  Json header;
  std::string numbers;
};

/// A file with a header that is a JSON object, whatever its length says.
std::optional<Parts> take_apart(std::string_view bytes) {
  const std::size_t end = object_end(bytes, std::min(bytes.size(), kLengthBytes));
  if (end <= kLengthBytes) return std::nullopt;
  auto header = parse(bytes.substr(kLengthBytes, end - kLengthBytes));
  if (!header || !header->is_object()) return std::nullopt;
  return Parts{*std::move(header), std::string(bytes.substr(end))};
}

std::string put_together(Parts parts) {
  parts.numbers.resize(static_cast<std::size_t>(lay_out(parts.header)), '\x3c');
  const std::string header = json_text(parts.header);
  const std::uint64_t length = header.size();
  std::string bytes(kLengthBytes, '\0');
  std::memcpy(bytes.data(), &length, kLengthBytes);
  return bytes + header + parts.numbers;
}

struct Described {
  std::string dtype;
  std::string shape;  ///< "[2, 3]"
  std::string bytes;
};

/// The tensors of a file that has been laid out, by name.
std::map<std::string, Described> tensors_of(const Parts& parts) {
  std::map<std::string, Described> tensors;
  for (const auto& [name, entry] : parts.header.get_ref<const Json::object_t&>()) {
    if (name == "__metadata__" || !described_bytes(entry) || !entry["dtype"].is_string()) continue;
    const std::vector<std::uint64_t> shape = entry["shape"];
    const std::size_t begin = entry["data_offsets"][0], end = entry["data_offsets"][1];
    tensors[name] = {entry["dtype"], shape_text(shape), parts.numbers.substr(begin, end - begin)};
  }
  return tensors;
}

/// Of the state, and of each tensor's name, shape and numbers, in the order of the names.
std::string sealed_hash(const Parts& parts, const Json& metadata) {
  const std::string state = metadata.contains("state") && metadata["state"].is_string() ? metadata["state"] : "";
  Sha256 hash;
  hash.update(str(state.size(), ":", state));
  for (const auto& [name, tensor] : tensors_of(parts)) {
    hash.update(str(name.size(), ":", name, tensor.shape, tensor.bytes));
  }
  return hash.finish_hex();
}

/// Of all other metadata, and of the tensors in the order in which they are written.
std::string session_hash(const Parts& parts, const Json& metadata) {
  std::map<std::string, std::string> fields;
  for (const auto& [key, text] : metadata.get_ref<const Json::object_t&>()) {
    if (key != "sha256" && text.is_string()) fields[key] = text;
  }
  Sha256 hash;
  for (const auto& [key, text] : fields) hash.update(str(key.size(), ":", key, text.size(), ":", text));
  auto tensors = tensors_of(parts);
  for (const char* name : {"tokens", "key_scales", "value_scales", "keys", "values"}) {
    const auto place = tensors.find(name);
    if (place == tensors.end()) continue;
    const Described& tensor = place->second;
    hash.update(str(name, tensor.dtype, tensor.shape, tensor.bytes.size(), ":", tensor.bytes));
  }
  return hash.finish_hex();
}

void repair_file(std::string& bytes) {
  if (auto parts = take_apart(bytes)) {
    bytes = put_together(*std::move(parts));
  } else if (bytes.size() >= kLengthBytes) {
    const std::uint64_t length = object_end(bytes, kLengthBytes) - kLengthBytes;
    std::memcpy(bytes.data(), &length, kLengthBytes);
  }
}

void repair_hashed(std::string& bytes, std::string (*hash)(const Parts&, const Json&)) {
  repair_file(bytes);
  auto parts = take_apart(bytes);
  if (!parts || !parts->header.contains("__metadata__")) return;
  Json& metadata = parts->header["__metadata__"];
  if (!metadata.is_object()) return;
  metadata["sha256"] = hash(*parts, metadata);
  bytes = put_together(*std::move(parts));
}

}  // namespace

void repair_safetensors(std::string& bytes) { repair_file(bytes); }

void repair_sealed(std::string& bytes) { repair_hashed(bytes, sealed_hash); }

void repair_session(std::string& bytes) { repair_hashed(bytes, session_hash); }

void repair_bundle(std::string& bytes) {
  Files files = read_folder_input(bytes);
  if (const auto weights = files.find("model.safetensors"); weights != files.end()) repair_file(weights->second);
  const auto manifest = files.find("manifest.json");
  if (manifest == files.end()) return;
  auto json = parse(manifest->second);
  if (!json || !json->is_object() || !json->contains("parts") || !(*json)["parts"].is_array()) return;
  for (Json& part : (*json)["parts"]) {
    if (!part.is_object() || !part.contains("file") || !part["file"].is_string()) continue;
    const auto file = files.find(part["file"].get<std::string>());
    if (file == files.end()) continue;
    part["bytes"] = file->second.size();
    part["sha256"] = sha256_hex(file->second);
  }
  manifest->second = json_text(*json);
  bytes = write_folder_input(files);
}

}  // namespace vitrine::fuzz
