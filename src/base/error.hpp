// Error codes, and the one exception type that carries them across the library.
// Not for our own mistakes: those meet VITRINE_ASSERT (check.hpp).
#pragma once

#include <array>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace vitrine {

/// Every way in which outside data, options or resources can be refused. docs/errors.md and
/// web/src/engine/errors.ts hold the same list, and a test compares the three.
enum class ErrorCode {
  invalid_option,
  invalid_token,
  bad_json,
  unsupported_format,
  bad_safetensors,
  missing_tensor,
  unexpected_tensor,
  shape_mismatch,
  bad_config,
  bad_tokenizer,
  bad_manifest,
  part_mismatch,
  self_test_failed,
  bad_checkpoint,
  bad_session,
  bad_data,
  context_full,
  batch_full,
  not_loaded,
  out_of_memory,
  file_not_found,
  file_unreadable,
  file_unwritable,
  not_finite,
  aborted,
  internal,
};

struct ErrorCodeEntry {
  ErrorCode code;
  std::string_view name;
  std::string_view meaning;
};

inline constexpr std::array kErrorCodes = {
    ErrorCodeEntry{ErrorCode::invalid_option, "invalid_option",
                   "An option is unknown, out of range, of the wrong type or contradicts another."},
    ErrorCodeEntry{ErrorCode::invalid_token, "invalid_token",
                   "A token id is negative or not below the vocabulary size."},
    ErrorCodeEntry{ErrorCode::bad_json, "bad_json", "A text is not valid JSON, repeats a key or is nested too deeply."},
    ErrorCodeEntry{ErrorCode::unsupported_format, "unsupported_format",
                   "The format is known but this version, type or feature of it is not."},
    ErrorCodeEntry{ErrorCode::bad_safetensors, "bad_safetensors", "A safetensors file breaks the rules of its format."},
    ErrorCodeEntry{ErrorCode::missing_tensor, "missing_tensor",
                   "A weight that the architecture needs is not in the file."},
    ErrorCodeEntry{ErrorCode::unexpected_tensor, "unexpected_tensor",
                   "A tensor in the file belongs to no weight of the architecture."},
    ErrorCodeEntry{ErrorCode::shape_mismatch, "shape_mismatch",
                   "A tensor does not have the shape that the architecture gives it."},
    ErrorCodeEntry{ErrorCode::bad_config, "bad_config",
                   "A model configuration is incomplete, contradictory or out of range."},
    ErrorCodeEntry{ErrorCode::bad_tokenizer, "bad_tokenizer",
                   "A tokenizer's vocabulary, merges or special tokens are inconsistent."},
    ErrorCodeEntry{ErrorCode::bad_manifest, "bad_manifest", "A bundle's manifest is incomplete or contradictory."},
    ErrorCodeEntry{ErrorCode::part_mismatch, "part_mismatch",
                   "A part of a bundle is absent, truncated or does not have its declared hash."},
    ErrorCodeEntry{ErrorCode::self_test_failed, "self_test_failed",
                   "The loaded model does not reproduce the vectors that its bundle declares."},
    ErrorCodeEntry{ErrorCode::bad_checkpoint, "bad_checkpoint",
                   "A training checkpoint is damaged or belongs to another run."},
    ErrorCodeEntry{ErrorCode::bad_session, "bad_session",
                   "A saved session is damaged, or belongs to another model or another dtype of cache."},
    ErrorCodeEntry{ErrorCode::bad_data, "bad_data", "A data file is empty, too short or not of the expected form."},
    ErrorCodeEntry{ErrorCode::context_full, "context_full", "The KV cache has no position left for the tokens given."},
    ErrorCodeEntry{ErrorCode::batch_full, "batch_full", "The batch has no free row."},
    ErrorCodeEntry{ErrorCode::not_loaded, "not_loaded",
                   "No model is loaded, or the row or object named does not exist."},
    ErrorCodeEntry{ErrorCode::out_of_memory, "out_of_memory",
                   "An allocation was refused, or would pass the declared limit."},
    ErrorCodeEntry{ErrorCode::file_not_found, "file_not_found", "A file or folder does not exist."},
    ErrorCodeEntry{ErrorCode::file_unreadable, "file_unreadable", "A file exists but cannot be read whole."},
    ErrorCodeEntry{ErrorCode::file_unwritable, "file_unwritable",
                   "A file cannot be written; what was there before is untouched."},
    ErrorCodeEntry{ErrorCode::not_finite, "not_finite",
                   "A number that must be finite is NaN or infinite; the message names the tensor."},
    ErrorCodeEntry{ErrorCode::aborted, "aborted", "The caller asked to stop before the result was ready."},
    ErrorCodeEntry{ErrorCode::internal, "internal",
                   "A promise of the library itself was broken: a fault of ours, please report it."},
};

/// The stable name of a code, as it appears in JSON, in TypeScript and in docs/errors.md.
constexpr std::string_view error_name(ErrorCode code) { return kErrorCodes[static_cast<std::size_t>(code)].name; }

/// Thrown at the edges of the library. The message says what was expected, what was found, and where.
class Error : public std::exception {
 public:
  Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

  ErrorCode code() const noexcept { return code_; }
  const std::string& message() const noexcept { return message_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  ErrorCode code_;
  std::string message_;
};

}  // namespace vitrine
