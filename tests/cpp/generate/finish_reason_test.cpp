#include "generate/finish_reason.hpp"

#include <doctest/doctest.h>

#include <set>

namespace vitrine {
namespace {

TEST_CASE("the table of finish reasons stands in the enum's order, each with a name of its own") {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kFinishReasons.size(); ++i) {
    CHECK(static_cast<std::size_t>(kFinishReasons[i].reason) == i);
    CHECK(finish_name(kFinishReasons[i].reason) == kFinishReasons[i].name);
    CHECK(kFinishReasons[i].meaning.ends_with('.'));
    names.insert(kFinishReasons[i].name);
  }
  CHECK(names.size() == kFinishReasons.size());
  CHECK(finish_name(FinishReason::failed) == "failed");
}

}  // namespace
}  // namespace vitrine
