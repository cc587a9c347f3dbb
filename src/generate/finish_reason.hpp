// FinishReason: why a row of a batch ended. Not an error, except for `failed`.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace vitrine {

enum class FinishReason {
  none,
  stop_token,
  stop_string,
  length,
  context_full,
  aborted,
  failed,
};

struct FinishReasonEntry {
  FinishReason reason;
  std::string_view name;
  std::string_view meaning;
};

inline constexpr std::array kFinishReasons = {
    FinishReasonEntry{FinishReason::none, "none", "The row goes on."},
    FinishReasonEntry{FinishReason::stop_token, "stop_token", "A token of the policy's stop_tokens was chosen."},
    FinishReasonEntry{FinishReason::stop_string, "stop_string", "A string of the policy's stop appeared."},
    FinishReasonEntry{FinishReason::length, "length", "max_new_tokens tokens were chosen."},
    FinishReasonEntry{FinishReason::context_full, "context_full", "The context has no position for another token."},
    FinishReasonEntry{FinishReason::aborted, "aborted", "The caller ended the row."},
    FinishReasonEntry{FinishReason::failed, "failed", "The row's logits could not be sampled; the error says why."},
};

/// The stable name of a reason, as it appears in JSON and in the page.
constexpr std::string_view finish_name(FinishReason reason) {
  return kFinishReasons[static_cast<std::size_t>(reason)].name;
}

}  // namespace vitrine
