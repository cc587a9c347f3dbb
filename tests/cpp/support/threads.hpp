// How many threads a test may ask for: a build as WebAssembly has one.
#pragma once

#include <cstddef>

namespace vitrine::test {

constexpr std::size_t threads_of_this_build([[maybe_unused]] std::size_t wanted) {
#ifdef __EMSCRIPTEN__
  return 1;
#else
  return wanted;
#endif
}

}  // namespace vitrine::test
