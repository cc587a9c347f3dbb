// A fixed pool of threads that cuts a range of independent outputs into contiguous pieces.
// It never splits a sum: how many threads there are changes when a thing is computed, not its bits.
#pragma once

#include <cstddef>
#include <memory>

#include "base/function_ref.hpp"

namespace vitrine {

class ThreadPool {
 public:
  /// `threads` counts the caller: 1 means that everything runs inline. Throws invalid_option for 0, and
  /// where the build has no threads (plain wasm) for more than 1; out_of_memory where the machine refuses one.
  explicit ThreadPool(std::size_t threads = 1);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::size_t size() const;

  /// One contiguous piece [begin, end) of the range; `piece` < size() tells pieces that run at once apart (scratch).
  using Body = FunctionRef<void(std::size_t begin, std::size_t end, std::size_t piece)>;

  /// Calls body over pieces that cover [0, count) once, at most size() of them, and returns when all have ended.
  /// An exception of a piece is rethrown here. Not reentrant: a body must not call run. Allocates nothing.
  void run(std::size_t count, Body body);

  /// The same, but inline where `work`, the multiply-adds of all pieces together, would be over before another thread
  /// has woken.
  void run_if_worth_it(std::size_t work, std::size_t count, Body body);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vitrine
