// What is read is compared with what the loaded model expects, in this order: format, model, tensors, hash, numbers,
// row. The hash finds damage, not malice: every number is checked beside it.
#include "session/saved_session.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/check.hpp"
#include "base/half.hpp"
#include "base/json.hpp"
#include "base/sha256.hpp"
#include "io/safetensors.hpp"
#include "kernels/quantize.hpp"
#include "session/session_json.hpp"

namespace vitrine {
namespace {

constexpr std::string_view kFormat = "vitrine-session";
constexpr std::string_view kVersion = "1";
constexpr std::uint64_t kMaxHeaderBytes = std::uint64_t{2} << 20;
constexpr JsonLimits kRowLimits = {std::uint64_t{1} << 20, 1'000'000, 8};

std::string_view container_dtype(KvDType dtype) {
  return dtype == KvDType::f32 ? "F32" : dtype == KvDType::f16 ? "F16" : "I8";
}

std::string token_bytes(std::span<const TokenId> tokens) {
  return {reinterpret_cast<const char*>(tokens.data()), tokens.size() * sizeof(TokenId)};
}

/// The tensors of a file, in its order; bytes are left out for those that are only to be compared.
std::vector<RawTensor> tensors_of(std::size_t tokens, const KvShape& shape, std::uint64_t cached) {
  const Shape scales = {shape.n_layers, shape.n_kv_heads, cached};
  const Shape rows = {shape.n_layers, shape.n_kv_heads, cached, shape.head_dim};
  const std::string dtype(container_dtype(shape.dtype));
  std::vector<RawTensor> tensors = {{"tokens", "I32", {tokens}, {}}};
  if (shape.dtype == KvDType::q8) {
    tensors.push_back({"key_scales", "F32", scales, {}});
    tensors.push_back({"value_scales", "F32", scales, {}});
  }
  tensors.push_back({"keys", dtype, rows, {}});
  tensors.push_back({"values", dtype, rows, {}});
  return tensors;
}

/// The place in a KvContent of the tensor of this name.
std::string& content_of(KvContent& content, std::string_view name) {
  if (name == "keys") return content.keys;
  if (name == "values") return content.values;
  return name == "key_scales" ? content.key_scales : content.value_scales;
}

/// Lengths before contents, so that no two different files feed the same bytes.
std::string content_hash(const SafetensorsMetadata& metadata, std::span<const RawTensor> tensors) {
  Sha256 hash;
  for (const auto& [key, text] : metadata) {
    if (key != "sha256") hash.update(str(key.size(), ":", key, text.size(), ":", text));
  }
  for (const RawTensor& tensor : tensors) {
    hash.update(str(tensor.name, tensor.dtype, shape_text(tensor.shape), tensor.bytes.size(), ":"));
    hash.update(tensor.bytes);
  }
  return hash.finish_hex();
}

template <class T, class Allowed>
void check_numbers(const RawTensor& tensor, std::string_view where, ErrorCode code, const char* expected,
                   Allowed allowed) {
  for (std::size_t i = 0; i < tensor.bytes.size() / sizeof(T); ++i) {
    T number;
    std::memcpy(&number, tensor.bytes.data() + i * sizeof(T), sizeof(T));
    VITRINE_CHECK(allowed(number), code, where, ": ", tensor.name, ": number ", i, ": expected ", expected, ", found ",
                  +number);
  }
}

/// Refuses numbers that no healthy cache holds.
void check_cache_numbers(const RawTensor& tensor, std::string_view where) {
  constexpr ErrorCode kNotFinite = ErrorCode::not_finite, kBad = ErrorCode::bad_session;
  if (tensor.dtype == "I8") {
    check_numbers<std::int8_t>(tensor, where, kBad, "-127 to 127",
                               [](std::int8_t q) { return q >= -kernels::kQuantizedMax; });
  } else if (tensor.dtype == "F16") {
    check_numbers<std::uint16_t>(tensor, where, kNotFinite, "the bits of a finite number",
                                 [](std::uint16_t half) { return std::isfinite(f16_to_f32(half)); });
  } else {
    check_numbers<float>(tensor, where, kNotFinite, "a finite number", [](float x) { return std::isfinite(x); });
    if (tensor.name.ends_with("scales")) {
      check_numbers<float>(tensor, where, kBad, "0 or above", [](float scale) { return !std::signbit(scale); });
    }
  }
}

/// Reads the fields and tensors of one file, and refuses what is not as expected.
class Reader {
 public:
  Reader(std::string_view file, std::string_view where) : file_(file), where_(where) {
    std::uint64_t header_bytes = 0;
    if (file.size() >= sizeof header_bytes) std::memcpy(&header_bytes, file.data(), sizeof header_bytes);
    VITRINE_CHECK(header_bytes <= kMaxHeaderBytes, ErrorCode::bad_session, where, ": expected a header of at most ",
                  kMaxHeaderBytes, " bytes, found ", header_bytes);
    header_ = read_safetensors_header(file, where);
  }

  const SafetensorsMetadata& metadata() const { return header_.metadata; }

  const std::string& field(const std::string& key) const {
    const auto place = header_.metadata.find(key);
    VITRINE_CHECK(place != header_.metadata.end(), ErrorCode::bad_session, where_, ": __metadata__: expected a field ",
                  key, ", found none");
    return place->second;
  }

  void expect(const std::string& key, std::string_view expected, ErrorCode code = ErrorCode::bad_session) const {
    VITRINE_CHECK(field(key) == expected, code, where_, ": ", key, ": expected ", expected, ", found ",
                  in_quotes(field(key)));
  }

  void expect_fields(std::size_t count) const {
    VITRINE_CHECK(header_.metadata.size() == count, ErrorCode::bad_session, where_, ": __metadata__: expected ", count,
                  " fields, found ", header_.metadata.size());
  }

  /// Extent `axis` of a tensor that must be there.
  std::uint64_t extent(std::string_view name, std::size_t axis) const {
    const SafetensorsEntry& found = entry(name);
    VITRINE_CHECK(axis < found.shape.size(), ErrorCode::bad_session, where_, ": ", name, ": expected an axis ", axis,
                  ", found shape ", shape_text(found.shape));
    return found.shape[axis];
  }

  /// Fills in the bytes of exactly these tensors; they must have these dtypes and shapes, and be all there are.
  void read(std::vector<RawTensor>& tensors) const {
    for (RawTensor& tensor : tensors) {
      const SafetensorsEntry& found = entry(tensor.name);
      VITRINE_CHECK(found.dtype == tensor.dtype && found.shape == tensor.shape, ErrorCode::bad_session, where_, ": ",
                    tensor.name, ": expected ", tensor.dtype, " of shape ", shape_text(tensor.shape), ", found ",
                    found.dtype, " of shape ", shape_text(found.shape));
      tensor.bytes =
          file_.substr(static_cast<std::size_t>(found.begin), static_cast<std::size_t>(found.end - found.begin));
    }
    for (const SafetensorsEntry& found : header_.entries) {
      const bool wanted = std::any_of(tensors.begin(), tensors.end(),
                                      [&](const RawTensor& tensor) { return tensor.name == found.name; });
      VITRINE_CHECK(wanted, ErrorCode::bad_session, where_, ": expected ", tensors.size(), " tensors, found also ",
                    in_quotes(found.name));
    }
  }

 private:
  const SafetensorsEntry& entry(std::string_view name) const {
    const auto& entries = header_.entries;
    const auto place = std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.name == name; });
    VITRINE_CHECK(place != entries.end(), ErrorCode::bad_session, where_, ": expected a tensor ", name, ", found none");
    return *place;
  }

  std::string_view file_;
  std::string_view where_;
  SafetensorsHeader header_;
};

std::string row_text(const SavedRow& row) {
  Json required = Json::array();
  for (const char byte : row.required) required.push_back(static_cast<unsigned char>(byte));
  return json_text({{"prompt_tokens", row.prompt_tokens},
                    {"required", std::move(required)},
                    {"policy", write_policy(row.policy)},
                    {"options", row_options_json(row.options)}});
}

/// Everything of a row but its tokens.
SavedRow parse_row(std::string_view text, std::string_view where, std::size_t tokens, const ModelConfig& config) {
  const std::string place = str(where, ": row");
  const JsonDocument json = parse_json(text, place, kRowLimits);
  JsonObjectReader reader(json, place, ErrorCode::bad_session);
  SavedRow row;
  row.prompt_tokens = static_cast<std::size_t>(reader.unsigned_integer("prompt_tokens", 1, tokens));
  for (const std::int64_t byte : reader.integers("required", 0, 255)) row.required.push_back(static_cast<char>(byte));
  row.policy = parse_policy(reader.value("policy"), config.vocab_size);
  row.options = parse_row_options(reader.value("options"));
  reader.finish();
  VITRINE_CHECK(row.policy.seed.has_value(), ErrorCode::bad_session, place, ": policy: expected a seed, found none");
  return row;
}

std::vector<TokenId> parse_tokens(const RawTensor& tensor, std::string_view where, std::size_t vocab_size) {
  std::vector<TokenId> tokens(tensor.bytes.size() / sizeof(TokenId));
  std::memcpy(tokens.data(), tensor.bytes.data(), tensor.bytes.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    VITRINE_CHECK(tokens[i] >= 0 && static_cast<std::size_t>(tokens[i]) < vocab_size, ErrorCode::invalid_token, where,
                  ": tokens: token ", i, ": expected an id from 0 to ", vocab_size - 1, ", found ", tokens[i]);
  }
  return tokens;
}

SavedSession parse_file(std::string_view file, std::string_view where, const SessionIdentity& identity,
                        const ModelConfig& config, KvDType dtype) {
  const Reader reader(file, where);
  reader.expect("format", kFormat);
  reader.expect("version", kVersion, ErrorCode::unsupported_format);
  reader.expect("weights", identity.weights);
  reader.expect("architecture", identity.architecture);
  reader.expect("tokenizer", identity.tokenizer);
  reader.expect("cache_dtype", kv_dtype_name(dtype));

  const std::uint64_t count = reader.extent("tokens", 0), cached = reader.extent("keys", 2);
  VITRINE_CHECK(count >= 1 && count <= config.max_seq_len && cached <= count, ErrorCode::bad_session, where,
                ": expected 1 to ", config.max_seq_len, " tokens and no more positions than those, found ", count,
                " and ", cached);
  const KvShape shape = config.kv_shape(dtype);
  std::vector<RawTensor> tensors = tensors_of(static_cast<std::size_t>(count), shape, cached);
  reader.read(tensors);
  reader.expect("sha256", content_hash(reader.metadata(), tensors));

  SavedRow row = parse_row(reader.field("row"), where, static_cast<std::size_t>(count), config);
  reader.expect_fields(8);
  row.tokens = parse_tokens(tensors[0], where, config.vocab_size);
  KvContent content;
  for (RawTensor& tensor : std::span(tensors).subspan(1)) {
    check_cache_numbers(tensor, where);
    content_of(content, tensor.name) = std::move(tensor.bytes);
  }
  KvCache cache(shape, std::span<const TokenId>(row.tokens).first(static_cast<std::size_t>(cached)), content);
  return {std::move(row), std::move(cache)};
}

}  // namespace

SessionIdentity session_identity(const Manifest& manifest) {
  return {manifest.require("weights").sha256, manifest.require("architecture").sha256,
          manifest.require("tokenizer").sha256};
}

std::string write_saved_session(const SavedRow& row, const KvCache& cache, const SessionIdentity& identity) {
  std::vector<RawTensor> tensors = tensors_of(row.tokens.size(), cache.shape(), cache.length());
  tensors[0].bytes = token_bytes(row.tokens);
  KvContent content = cache.content();
  for (RawTensor& tensor : std::span(tensors).subspan(1)) {
    tensor.bytes = std::move(content_of(content, tensor.name));
    check_cache_numbers(tensor, "session");
  }
  SafetensorsMetadata metadata = {{"format", std::string(kFormat)},
                                  {"version", std::string(kVersion)},
                                  {"weights", identity.weights},
                                  {"architecture", identity.architecture},
                                  {"tokenizer", identity.tokenizer},
                                  {"cache_dtype", std::string(kv_dtype_name(cache.shape().dtype))},
                                  {"row", row_text(row)}};
  metadata["sha256"] = content_hash(metadata, tensors);
  return write_safetensors(tensors, metadata);
}

SavedSession read_saved_session(std::string_view file, std::string_view where, const SessionIdentity& identity,
                                const ModelConfig& config, KvDType dtype) {
  try {
    return parse_file(file, where, identity, config, dtype);
  } catch (const Error& error) {
    // To the caller all of these are one thing: this file is no session to go on from.
    const ErrorCode code = error.code();
    if (code == ErrorCode::bad_safetensors || code == ErrorCode::bad_json || code == ErrorCode::invalid_option) {
      fail(ErrorCode::bad_session, error.message());
    }
    throw;
  }
}

}  // namespace vitrine
