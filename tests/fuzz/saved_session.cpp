// Bytes as a saved session for a small model: what is accepted writes back to the same row, cache and bytes.
#include "session/saved_session.hpp"

#include "support/repair.hpp"
#include "support/target.hpp"

using namespace vitrine;

namespace {

/// The model of the seeds (seeds/safetensors.mjs).
ModelConfig small_config() {
  ModelConfig config;
  config.vocab_size = 257;
  config.d_model = 2;
  config.n_layers = 1;
  config.n_heads = 1;
  config.n_kv_heads = 1;
  config.head_dim = 2;
  config.d_ff = 3;
  config.max_seq_len = 24;
  return config;
}

SessionIdentity small_identity() { return {std::string(64, 'a'), std::string(64, 'b'), std::string(64, 'c')}; }

/// The type of cache that the file says it holds, so that each of them is tried.
KvDType dtype_of(std::string_view input) {
  for (const KvDTypeEntry& entry : kKvDTypes) {
    if (input.find(str("\"cache_dtype\":\"", entry.name, "\"")) != input.npos) return entry.dtype;
  }
  return KvDType::f32;
}

}  // namespace

VITRINE_FUZZ_TARGET(saved_session, fuzz::repair_session) {
  const ModelConfig config = small_config();
  const SessionIdentity identity = small_identity();
  const KvDType dtype = dtype_of(input);
  const auto read = [&](std::string_view bytes) { return read_saved_session(bytes, "input", identity, config, dtype); };
  const auto session = fuzz::attempt(input, {}, [&] { return read(input); });
  if (!session) return;
  VITRINE_PROMISE(session->cache.length() <= session->row.tokens.size(), "no more positions than tokens");
  VITRINE_PROMISE(session->row.tokens.size() <= config.max_seq_len, "no more tokens than the context");
  const std::string written = write_saved_session(session->row, session->cache, identity);
  const SavedSession again = read(written);
  VITRINE_PROMISE(again.row.tokens == session->row.tokens && again.row.prompt_tokens == session->row.prompt_tokens &&
                      again.row.required == session->row.required && again.row.policy == session->row.policy,
                  "the row reads back");
  VITRINE_PROMISE(again.cache.content() == session->cache.content(), "the cache reads back bit for bit");
  VITRINE_PROMISE(write_saved_session(again.row, again.cache, identity) == written, "equal content gives equal bytes");
}
