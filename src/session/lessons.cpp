// The list of lessons; each has a file of its own.
#include "session/lessons.hpp"

#include <array>
#include <string>

#include "base/check.hpp"

namespace vitrine {
namespace {

struct LessonEntry {
  std::string_view name;
  Json (*run)(const Json& input);
};

constexpr std::array kLessons = {
    LessonEntry{"attention_temperature", attention_temperature_lesson},
    LessonEntry{"attention_by_hand", attention_by_hand_lesson},
    LessonEntry{"rope", rope_lesson},
};

}  // namespace

Json run_lesson(std::string_view name, const Json& input) {
  for (const LessonEntry& lesson : kLessons) {
    if (lesson.name == name) return lesson.run(input);
  }
  std::string names;
  for (const LessonEntry& lesson : kLessons) names += str(names.empty() ? "" : ", ", lesson.name);
  fail(ErrorCode::invalid_option, str("lesson: expected one of ", names, "; found ", in_quotes(name)));
}

}  // namespace vitrine
