// Bytes as JSON text: what is accepted is UTF-8 without NUL, within its limits, and reads back equal.
#include "base/json.hpp"

#include <algorithm>

#include "base/utf8.hpp"
#include "support/target.hpp"

using namespace vitrine;

namespace {

constexpr JsonLimits kLimits = {4096, 500, 16};

std::size_t count_values(const Json& value) {
  std::size_t count = 1;
  if (value.is_structured()) {
    for (const Json& inner : value) count += count_values(inner);
  }
  return count;
}

std::size_t depth(const Json& value) {
  if (!value.is_structured()) return 0;
  std::size_t deepest = 0;
  for (const Json& inner : value) deepest = std::max(deepest, depth(inner));
  return deepest + 1;
}

}  // namespace

VITRINE_FUZZ_TARGET(json, nullptr) {
  const auto value = fuzz::attempt(input, {}, [&] { return parse_json(input, "input", kLimits); });
  if (!value) return;
  VITRINE_PROMISE(is_valid_utf8(input) && input.find('\0') == input.npos, "accepted text is UTF-8 without NUL");
  VITRINE_PROMISE(input.size() <= kLimits.max_bytes, "within the limit of bytes");
  VITRINE_PROMISE(count_values(*value) <= kLimits.max_values, "within the limit of values");
  VITRINE_PROMISE(depth(*value) <= kLimits.max_depth, "within the limit of depth");
  for (const int indent : {-1, 2}) {
    const std::string text = json_text(*value, indent);
    const Json again = parse_json(text, "written");
    VITRINE_PROMISE(again == value->value(), "reads back");
    VITRINE_PROMISE(json_text(again, indent) == text, "equal values give equal text");
  }
}
