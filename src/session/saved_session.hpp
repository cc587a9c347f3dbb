// A saved session: one row of a session as a file from which it goes on to the same bits (docs/formats.md). The file is
// untrusted: it is checked whole before anything is made from it. It holds no weights and no text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cache/kv_cache.hpp"
#include "io/manifest.hpp"
#include "model/config.hpp"
#include "sampling/policy.hpp"
#include "session/row_types.hpp"

namespace vitrine {

/// The parts of a bundle that keys, values and texts depend on: SHA-256 of each.
struct SessionIdentity {
  std::string weights;
  std::string architecture;
  std::string tokenizer;
};

/// Throws bad_manifest if a part is missing.
SessionIdentity session_identity(const Manifest& manifest);

/// A row without its cache. What else it has (the text, what a stop string holds back) follows from this.
struct SavedRow {
  std::vector<TokenId> tokens;    ///< [T] the prompt, then what was generated
  std::size_t prompt_tokens = 0;  ///< 1 to T
  std::string required;           ///< bytes with which the generated tokens begin (RowRequest::required)
  Policy policy;                  ///< with its seed
  RowOptions options;
};

struct SavedSession {
  SavedRow row;
  KvCache cache;  ///< holds a beginning of row.tokens
};

/// The bytes of a file: the same row gives the same bytes. Throws not_finite for a cache that could not be read back.
std::string write_saved_session(const SavedRow& row, const KvCache& cache, const SessionIdentity& identity);

/// Reads a file for the model that is loaded. Memory is taken for that model's cache and for a small multiple of the
/// file, never for a size that the file claims. `where` names the file in errors. Throws bad_session for a file that is
/// damaged, cut short, of another model, dtype, shape or form, unsupported_format for another version, invalid_token,
/// and not_finite.
SavedSession read_saved_session(std::string_view file, std::string_view where, const SessionIdentity& identity,
                                const ModelConfig& config, KvDType dtype);

}  // namespace vitrine
