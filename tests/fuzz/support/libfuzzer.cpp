// libFuzzer's entry points for a program that holds one target. The corpus test does without them.
#include <cstdint>
#include <cstring>

#include "support/target.hpp"

extern "C" {

std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  vitrine::fuzz::targets().front().run({reinterpret_cast<const char*>(data), size});
  return 0;
}

/// Any mutation; three times of four, what the target can repair is repaired.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned int seed) {
  const std::size_t mutated = LLVMFuzzerMutate(data, size, max_size);
  const auto repair = vitrine::fuzz::targets().front().repair;
  if (repair == nullptr || seed % 4 == 0) return mutated;
  std::string input(reinterpret_cast<const char*>(data), mutated);
  repair(input);
  if (input.size() > max_size) return mutated;
  std::memcpy(data, input.data(), input.size());
  return input.size();
}
}
