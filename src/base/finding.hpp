// Finding: what a detector saw and should not have seen. It detects nothing itself.
#pragma once

#include <string>

namespace vitrine {

struct Finding {
  std::string where;
  std::string expected;
  std::string found;
};

}  // namespace vitrine
