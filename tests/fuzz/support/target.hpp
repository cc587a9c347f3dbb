// What every fuzz target shares: how it is registered, how it hands untrusted bytes to a reader, and how it says that a
// promise was broken. The same targets run under libFuzzer and, over the corpus, in every test build.
#pragma once

#include <cstdint>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.hpp"
#include "support/allocation_watch.hpp"

namespace vitrine::fuzz {

/// A promise that an input broke. Nothing catches it but the test of the corpus: under libFuzzer it ends the program.
struct BrokenPromise : std::logic_error {
  using std::logic_error::logic_error;
};

/// Throws BrokenPromise(str(...)) unless the condition holds.
#define VITRINE_PROMISE(condition, ...)                                                   \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      throw ::vitrine::fuzz::BrokenPromise(::vitrine::str(__VA_ARGS__, ": " #condition)); \
    }                                                                                     \
  } while (false)

struct Target {
  std::string_view name;
  void (*run)(std::string_view input);
  /// Makes lengths and hashes of a mutated input match again, so that mutations reach what lies behind them. May be
  /// null.
  void (*repair)(std::string& input);
};

/// Every target that is linked into the program.
std::vector<Target>& targets();

struct Registration {
  explicit Registration(const Target& target) { targets().push_back(target); }
};

/// How the last input ended: "accepted", or the name of the error code that refused it.
std::string_view last_outcome();
/// The message of that refusal.
const std::string& last_message();

/// Memory that reading an input may hold at once: a part of its own, and so much for each byte of the input.
struct MemoryBound {
  std::uint64_t base = std::uint64_t{64} << 10;
  std::uint64_t per_byte = 64;
};

// What attempt() notes. Each throws BrokenPromise: for a refusal that is a fault of ours or whose message is not short,
// printable ASCII; and for a reader that asked for more than its bound or kept something of what it refused.
void note_accepted();
void note_refused(const Error& error);
void note_out_of_memory();
void require_bounded(const AllocationWatch& watch, std::size_t input_bytes, bool accepted);

/// What `read` makes of the input, or nothing if it throws vitrine::Error. Anything else that it throws goes on. Holds
/// it to its memory bound, and a refusal to giving back all that it took.
template <class Read>
auto attempt(std::string_view input, const MemoryBound& bound, Read read) -> std::optional<decltype(read())> {
  std::optional<decltype(read())> result;
  const AllocationWatch watch(bound.base + bound.per_byte * input.size());
  try {
    result.emplace(read());
    note_accepted();
  } catch (const Error& error) {
    note_refused(error);
  } catch (const std::bad_alloc&) {
    if (!allocation_failed() && !watch.exceeded()) throw;
    note_out_of_memory();
  }
  require_bounded(watch, input.size(), result.has_value());
  return result;
}

}  // namespace vitrine::fuzz

/// Defines and registers a target: VITRINE_FUZZ_TARGET(name, repair) { body with `input` }
#define VITRINE_FUZZ_TARGET(target_name, repair_function)            \
  static void run_##target_name(std::string_view input);             \
  static const ::vitrine::fuzz::Registration register_##target_name( \
      {#target_name, &run_##target_name, repair_function});          \
  static void run_##target_name(std::string_view input)
