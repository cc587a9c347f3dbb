#include "session/saved_session.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "io/safetensors.hpp"
#include "support/expect_error.hpp"
#include "support/random_floats.hpp"
#include "support/tiny_model.hpp"

namespace vitrine {
namespace {

using test::tiny_config;

constexpr auto kBad = ErrorCode::bad_session;
const SessionIdentity kIdentity{std::string(64, '1'), std::string(64, '2'), std::string(64, '3')};

/// A cache of random numbers at so many positions of a row of tokens 0, 1, 2, ...
KvCache random_cache(KvDType dtype, std::size_t length) {
  const ModelConfig c = tiny_config();
  KvCache cache(c.kv_shape(dtype));
  for (std::size_t layer = 0; layer < c.n_layers; ++layer) {
    for (std::size_t position = 0; position < length; ++position) {
      const std::vector<float> key = test::random_floats(c.kv_width(), 100 * layer + position),
                               value = test::random_floats(c.kv_width(), 1000 + 100 * layer + position);
      cache.store(layer, position, {key.data(), {c.n_kv_heads, c.head_dim}},
                  {value.data(), {c.n_kv_heads, c.head_dim}});
    }
  }
  std::vector<TokenId> tokens(length);
  for (std::size_t i = 0; i < length; ++i) tokens[i] = static_cast<TokenId>(i % c.vocab_size);
  cache.commit(tokens);
  return cache;
}

SavedRow small_row(std::size_t tokens, std::size_t prompt_tokens) {
  SavedRow row;
  for (std::size_t i = 0; i < tokens; ++i) row.tokens.push_back(static_cast<TokenId>(i % tiny_config().vocab_size));
  row.prompt_tokens = prompt_tokens;
  row.required = std::string("a\xFF\0", 3);
  row.policy.seed = 12;
  row.policy.stop = {"x", "yz"};
  row.options = {true, 5, 3, true};
  return row;
}

std::string small_file(KvDType dtype, std::size_t tokens = 8, std::size_t cached = 7) {
  return write_saved_session(small_row(tokens, 3), random_cache(dtype, cached), kIdentity);
}

SavedSession read(std::string_view file, KvDType dtype) {
  return read_saved_session(file, "f", kIdentity, tiny_config(), dtype);
}

/// A file taken apart, changed, and put together again; the hash is made right unless it is what was changed.
struct Parts {
  std::vector<RawTensor> tensors;
  SafetensorsMetadata metadata;

  RawTensor& tensor(std::string_view name) {
    return *std::find_if(tensors.begin(), tensors.end(), [&](const RawTensor& t) { return t.name == name; });
  }
};

Parts parts_of(const std::string& file) {
  const SafetensorsHeader header = read_safetensors_header(file, "f");
  Parts parts{{}, header.metadata};
  for (const SafetensorsEntry& e : header.entries) {
    parts.tensors.push_back({e.name, e.dtype, e.shape, file.substr(e.begin, e.end - e.begin)});
  }
  return parts;
}

/// The hash that a reader will find, taken from its own message.
std::string hash_of(Parts parts, KvDType dtype) {
  parts.metadata["sha256"] = "";
  try {
    read(write_safetensors(parts.tensors, parts.metadata), dtype);
  } catch (const Error& error) {
    const std::string& text = error.message();
    if (text.find("sha256: expected ") != std::string::npos) return text.substr(text.find("expected ") + 9, 64);
  }
  return "";
}

/// Reads the file with a change; a change that comes before the hash is looked at needs none.
void read_changed(KvDType dtype, const std::function<void(Parts&)>& change) {
  Parts parts = parts_of(small_file(dtype));
  change(parts);
  const std::string hash = hash_of(parts, dtype);
  if (!hash.empty()) parts.metadata["sha256"] = hash;
  read(write_safetensors(parts.tensors, parts.metadata), dtype);
}

template <class T>
void put(std::string& bytes, std::size_t index, T number) {
  std::memcpy(bytes.data() + index * sizeof(T), &number, sizeof(T));
}

TEST_CASE("a row and its cache read back to the bit, whatever its length and dtype") {
  for (const KvDTypeEntry& entry : kKvDTypes) {
    CAPTURE(entry.name);
    for (const std::size_t cached : {0u, 1u, 16u, 39u, 40u}) {
      const std::size_t tokens = std::min<std::size_t>(cached + 1, 40);
      const SavedRow row = small_row(tokens, 1);
      const KvCache cache = random_cache(entry.dtype, cached);
      const std::string file = write_saved_session(row, cache, kIdentity);
      CHECK(file == write_saved_session(row, cache.fork(), kIdentity));
      const SavedSession back = read(file, entry.dtype);
      CHECK(back.row.tokens == row.tokens);
      CHECK(back.row.prompt_tokens == 1);
      CHECK(back.row.required == row.required);
      CHECK(back.row.policy == row.policy);
      CHECK(back.row.options.parity == true);
      CHECK(back.row.options.trace_limit == 5u);
      CHECK(back.row.options.stream == 3);
      CHECK(back.row.options.heal == true);
      CHECK(back.cache.shape() == cache.shape());
      CHECK(back.cache.content() == cache.content());
      CHECK(std::equal(back.cache.tokens().begin(), back.cache.tokens().end(), row.tokens.begin(),
                       row.tokens.begin() + static_cast<std::ptrdiff_t>(cached)));
      CHECK(write_saved_session(back.row, back.cache, kIdentity) == file);
    }
  }
}

TEST_CASE("the file is safetensors with the numbers in rows, and narrower dtypes make it smaller") {
  std::vector<std::size_t> sizes;
  for (const KvDTypeEntry& entry : kKvDTypes) {
    const SafetensorsHeader header = read_safetensors_header(small_file(entry.dtype, 40, 40), "f");
    std::string text;
    for (const SafetensorsEntry& e : header.entries) text += str(e.name, " ", e.dtype, " ", shape_text(e.shape), "; ");
    if (entry.dtype == KvDType::f16) {
      CHECK(text == "tokens I32 [40]; keys F16 [2, 2, 40, 6]; values F16 [2, 2, 40, 6]; ");
    }
    if (entry.dtype == KvDType::q8) {
      CHECK(text ==
            "tokens I32 [40]; key_scales F32 [2, 2, 40]; value_scales F32 [2, 2, 40]; keys I8 [2, 2, 40, 6]; values I8 "
            "[2, 2, 40, 6]; ");
    }
    sizes.push_back(small_file(entry.dtype, 40, 40).size());
  }
  CHECK(sizes[0] > sizes[1]);
  CHECK(sizes[1] > sizes[2] + 100);
}

TEST_CASE("a session of another model, dtype, shape or version is refused, and says which") {
  const std::string file = small_file(KvDType::f16);
  const auto read_as = [&](auto change) {
    SessionIdentity identity = kIdentity;
    ModelConfig config = tiny_config();
    KvDType dtype = KvDType::f16;
    change(identity, config, dtype);
    read_saved_session(file, "f", identity, config, dtype);
  };
  const std::string other(64, '9');
  CHECK_ERROR(kBad, "f: weights: expected " + other, read_as([&](auto& id, auto&, auto&) { id.weights = other; }));
  CHECK_ERROR(kBad, "f: architecture: exp", read_as([&](auto& id, auto&, auto&) { id.architecture = other; }));
  CHECK_ERROR(kBad, "f: tokenizer: expected", read_as([&](auto& id, auto&, auto&) { id.tokenizer = other; }));
  CHECK_ERROR(kBad, "cache_dtype: expected q8, found \"f16\"",
              read_as([](auto&, auto&, auto& dtype) { dtype = KvDType::q8; }));
  CHECK_ERROR(kBad, "keys: expected F16 of shape [3, 2, 7, 6], found F16 of shape [2, 2, 7, 6]",
              read_as([](auto&, auto& config, auto&) { config.n_layers = 3; }));
  CHECK_ERROR(kBad, "keys: expected F16 of shape [2, 2, 7, 8]",
              read_as([](auto&, auto& config, auto&) { config.head_dim = 8; }));
  CHECK_ERROR(kBad, "expected 1 to 7 tokens", read_as([](auto&, auto& config, auto&) { config.max_seq_len = 7; }));
  CHECK_ERROR(ErrorCode::invalid_token, "tokens: token 5: expected an id from 0 to 4, found 5",
              read_as([](auto&, auto& config, auto&) { config.vocab_size = 5; }));
  const auto with = [](const char* key, const char* text) {
    read_changed(KvDType::f16, [=](Parts& parts) { parts.metadata[key] = text; });
  };
  CHECK_ERROR(ErrorCode::unsupported_format, "version: expected 1, found \"2\"", with("version", "2"));
  CHECK_ERROR(kBad, "format: expected vitrine-session", with("format", "vitrine-checkpoint"));
  CHECK_ERROR(kBad, "expected 8 fields, found 9", with("more", ""));
  CHECK_ERROR(kBad, "expected a field row, found none",
              read_changed(KvDType::f16, [](Parts& parts) { parts.metadata.erase("row"); }));
}

TEST_CASE("tensors that are missing, foreign, misshapen or of another dtype are refused by name") {
  for (const char* name : {"tokens", "keys", "values", "key_scales", "value_scales"}) {
    CAPTURE(name);
    const auto change = [&](auto what) { read_changed(KvDType::q8, [&](Parts& parts) { what(parts); }); };
    CHECK_ERROR(kBad, str("expected a tensor ", name, ", found none"), change([&](Parts& parts) {
                  std::erase_if(parts.tensors, [&](const RawTensor& t) { return t.name == name; });
                }));
    CHECK_ERROR(kBad, str("found also \"", name, "2\""), change([&](Parts& parts) {
                  parts.tensors.push_back(parts.tensor(name));
                  parts.tensors.back().name += "2";
                }));
    CHECK_ERROR(kBad, "", change([&](Parts& parts) {
                  RawTensor& tensor = parts.tensor(name);  // the same bytes, flat and in another order of axes
                  tensor.shape = {1, tensor.bytes.size() / (tensor.dtype == "I8" ? 1 : 4)};
                }));
    CHECK_ERROR(kBad, "", change([&](Parts& parts) {
                  RawTensor& tensor = parts.tensor(name);  // twice as many halves
                  tensor.shape.back() *= tensor.dtype == "I8" ? 1 : 2;
                  tensor.dtype = tensor.dtype == "I8" ? "U8" : "F16";
                }));
  }
  CHECK_ERROR(kBad, "expected an axis 2", read_changed(KvDType::f32, [](Parts& parts) {
                parts.tensor("keys").shape = {2 * 2 * 7, 6};
              }));
}

TEST_CASE("lengths that do not belong together are refused") {
  const auto tokens = [](std::size_t count) {
    read_changed(KvDType::f32, [=](Parts& parts) {
      parts.tensor("tokens") = {"tokens", "I32", {count}, std::string(4 * count, '\0')};
    });
  };
  CHECK_ERROR(kBad, "expected 1 to 40 tokens and no more positions than those, found 6 and 7", tokens(6));
  CHECK_ERROR(kBad, "found 41 and 7", tokens(41));
  CHECK_ERROR(kBad, "found 0 and 7", tokens(0));
  CHECK_NOTHROW(tokens(7));
  CHECK_ERROR(kBad, "values: expected F32 of shape [2, 2, 7, 6]", read_changed(KvDType::f32, [](Parts& parts) {
                parts.tensor("values") = {"values", "F32", {2, 2, 6, 6}, std::string(2 * 2 * 6 * 6 * 4, '\0')};
              }));
}

TEST_CASE("numbers that no cache holds are refused with their place") {
  const float inf = std::numeric_limits<float>::infinity();
  for (const char* name : {"keys", "values"}) {
    CHECK_ERROR(ErrorCode::not_finite, str(name, ": number 3: expected a finite number, found inf"),
                read_changed(KvDType::f32, [=](Parts& p) { put(p.tensor(name).bytes, 3, inf); }));
    CHECK_ERROR(ErrorCode::not_finite, "number 9: expected the bits of a finite number, found 32256",
                read_changed(KvDType::f16, [=](Parts& p) { put<std::uint16_t>(p.tensor(name).bytes, 9, 0x7E00); }));
    CHECK_ERROR(kBad, "number 4: expected -127 to 127, found -128",
                read_changed(KvDType::q8, [=](Parts& p) { put<std::int8_t>(p.tensor(name).bytes, 4, -128); }));
  }
  for (const char* name : {"key_scales", "value_scales"}) {
    CHECK_ERROR(ErrorCode::not_finite, str(name, ": number 1"),
                read_changed(KvDType::q8, [=](Parts& p) { put(p.tensor(name).bytes, 1, -inf); }));
    CHECK_ERROR(kBad, "expected 0 or above, found -1",
                read_changed(KvDType::q8, [=](Parts& p) { put(p.tensor(name).bytes, 1, -1.0f); }));
  }
  for (const TokenId token : {-1, 37, std::numeric_limits<TokenId>::max()}) {
    CHECK_ERROR(ErrorCode::invalid_token, str("tokens: token 7: expected an id from 0 to 36, found ", token),
                read_changed(KvDType::f32, [=](Parts& p) { put(p.tensor("tokens").bytes, 7, token); }));
  }
}

TEST_CASE("a cache that could not be read back is not written") {
  const ModelConfig c = tiny_config();
  for (const KvDTypeEntry& entry : kKvDTypes) {
    KvCache cache = random_cache(entry.dtype, 3);
    const std::vector<float> large(c.kv_width(),
                                   entry.dtype == KvDType::f16 ? 7e4f : std::numeric_limits<float>::infinity());
    const View<const float, 2> row(large.data(), {c.n_kv_heads, c.head_dim});
    for (std::size_t layer = 0; layer < c.n_layers; ++layer) cache.store(layer, 3, row, row);
    cache.commit(std::vector<TokenId>{3});
    CHECK_ERROR(ErrorCode::not_finite, "", write_saved_session(small_row(5, 1), cache, kIdentity));
  }
}

TEST_CASE("what a row says of itself is checked, whoever wrote the file") {
  const auto with = [](auto change) {
    read_changed(KvDType::f32, [&](Parts& parts) {
      Json row = parse_json(parts.metadata["row"], "row");
      change(row);
      parts.metadata["row"] = json_text(row);
    });
  };
  CHECK_NOTHROW(with([](Json&) {}));
  CHECK_ERROR(kBad, "prompt_tokens: expected an integer from 1 to 8, found 9",
              with([](Json& r) { r["prompt_tokens"] = 9; }));
  CHECK_ERROR(kBad, "prompt_tokens", with([](Json& r) { r["prompt_tokens"] = 0; }));
  CHECK_ERROR(kBad, "required", with([](Json& r) { r["required"] = {256}; }));
  CHECK_ERROR(kBad, "required", with([](Json& r) { r.erase("required"); }));
  CHECK_ERROR(kBad, "temperature", with([](Json& r) { r["policy"]["temperature"] = 0; }));
  CHECK_ERROR(kBad, "expected a seed", with([](Json& r) { r["policy"].erase("seed"); }));
  CHECK_ERROR(kBad, "stream", with([](Json& r) { r["options"]["stream"] = -1; }));
  CHECK_ERROR(kBad, "other", with([](Json& r) { r["options"]["other"] = 1; }));
  CHECK_ERROR(kBad, "more", with([](Json& r) { r["more"] = 1; }));
  CHECK_ERROR(kBad, "", read_changed(KvDType::f32, [](Parts& parts) { parts.metadata["row"] = "[]"; }));
  CHECK_ERROR(kBad, "", read_changed(KvDType::f32, [](Parts& parts) { parts.metadata["row"] = "{"; }));
  CHECK_ERROR(kBad, "", read_changed(KvDType::f32, [](Parts& parts) {
                parts.metadata["row"] = std::string(std::size_t{3} << 20, ' ');
              }));
}

TEST_CASE("no prefix of a file is a session, nor is one with a changed byte or with bytes behind it") {
  for (const KvDTypeEntry& entry : kKvDTypes) {
    const std::string file = small_file(entry.dtype, 3, 2);
    const auto refused = [&](const std::string& bytes) {
      try {
        read(bytes, entry.dtype);
      } catch (const Error& error) {
        return error.code() != ErrorCode::internal && error.code() != ErrorCode::out_of_memory;
      }
      return false;
    };
    std::size_t accepted = 0;
    for (std::size_t size = 0; size < file.size(); ++size) accepted += !refused(file.substr(0, size));
    for (std::size_t i = 0; i < file.size(); ++i) {
      std::string changed = file;
      changed[i] = static_cast<char>(changed[i] ^ 1 << i % 8);
      accepted += !refused(changed);
    }
    CHECK(accepted == 0);
    CHECK(refused(file + '\0'));
    CHECK_FALSE(refused(file));
  }
  CHECK_ERROR(kBad, "header of at most 2097152 bytes", read(std::string(8, '\x7F') + "{}", KvDType::f32));
}

}  // namespace
}  // namespace vitrine
