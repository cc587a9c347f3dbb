// Lessons: the arithmetic of the page's explanations, done by the model's own kernels and layers on numbers that a
// reader chose. They need no bundle. Input and result are JSON, in the forms of web/src/engine/lesson-types.ts.
#pragma once

#include <string_view>

#include "base/json.hpp"

namespace vitrine {

/// softmax(scores / temperature).
Json attention_temperature_lesson(const Json& input);
/// One attention head, step by step.
Json attention_by_hand_lesson(const Json& input);
/// A query and a key rotated to their positions, and their product.
Json rope_lesson(const Json& input);

/// The lesson of this name: "attention_temperature", "attention_by_hand" or "rope". Throws invalid_option, for input
/// that is out of range too.
Json run_lesson(std::string_view name, const Json& input);

}  // namespace vitrine
