#include "support/target.hpp"

#include <algorithm>

namespace vitrine::fuzz {
namespace {

constexpr std::size_t kMaxMessage = 1000;

std::string_view outcome = "none";
std::string refusal(kMaxMessage, ' ');  // allocates nothing later on, while allocations are counted

}  // namespace

std::vector<Target>& targets() {
  static std::vector<Target> all;
  return all;
}

std::string_view last_outcome() { return outcome; }
const std::string& last_message() { return refusal; }

void note_accepted() {
  outcome = "accepted";
  refusal.clear();
}

void note_out_of_memory() {
  outcome = error_name(ErrorCode::out_of_memory);
  refusal.clear();
}

void note_refused(const Error& error) {
  outcome = error_name(error.code());
  const std::string& message = error.message();
  VITRINE_PROMISE(error.code() != ErrorCode::internal, "a fault of ours: ", message);
  VITRINE_PROMISE(!message.empty() && message.size() <= kMaxMessage, "a message of ", message.size(), " bytes");
  VITRINE_PROMISE(std::all_of(message.begin(), message.end(), [](char c) { return c >= 0x20 && c < 0x7F; }),
                  "a message with unprintable bytes: ", message);
  refusal = message;
}

void require_bounded(const AllocationWatch& watch, std::size_t input_bytes, bool accepted) {
  VITRINE_PROMISE(!watch.exceeded(), "an input of ", input_bytes, " bytes asks for ", watch.peak(), " bytes of memory");
  VITRINE_PROMISE(accepted || watch.bytes() == 0, "a refusal keeps ", watch.bytes(), " bytes");
}

}  // namespace vitrine::fuzz
