// Fault: the ways in which a forward pass can be made wrong on purpose. None is ever on by itself.
#pragma once

#include <array>
#include <string_view>

namespace vitrine {

enum class Fault {
  none,
  position_off_by_one,  ///< tokens after the first call are rotated one position too far
};

struct FaultEntry {
  Fault fault;
  std::string_view name;
};

inline constexpr std::array kFaults = {
    FaultEntry{Fault::none, "none"},
    FaultEntry{Fault::position_off_by_one, "position_off_by_one"},
};

}  // namespace vitrine
