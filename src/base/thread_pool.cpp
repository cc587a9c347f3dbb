// The pool waits on a condition variable between runs; each run hands every thread one contiguous piece.
#include "base/thread_pool.hpp"

#include <exception>
#include <vector>

#include "base/check.hpp"

#if !defined(__EMSCRIPTEN__) || defined(__EMSCRIPTEN_PTHREADS__)
#define VITRINE_HAS_THREADS 1
#include <condition_variable>
#include <mutex>
#include <thread>
#else
#define VITRINE_HAS_THREADS 0
#endif

namespace vitrine {

struct ThreadPool::State {
  std::size_t size = 1;
#if VITRINE_HAS_THREADS
  std::vector<std::thread> workers;
  std::mutex mutex;
  std::condition_variable work_ready;
  std::condition_variable work_done;
  const Body* body = nullptr;
  std::size_t count = 0;
  std::size_t generation = 0;
  std::size_t running = 0;
  bool stopping = false;
  std::exception_ptr failure;

  void run_piece(std::size_t index) {
    const std::size_t begin = count * index / size;
    const std::size_t end = count * (index + 1) / size;
    if (begin == end) return;
    try {
      (*body)(begin, end, index);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  }

  void work(std::size_t index) {
    std::size_t seen = 0;
    for (;;) {
      {
        std::unique_lock lock(mutex);
        work_ready.wait(lock, [&] { return stopping || generation != seen; });
        if (stopping) return;
        seen = generation;
      }
      run_piece(index);
      const std::lock_guard lock(mutex);
      if (--running == 0) work_done.notify_one();
    }
  }

  void stop() {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
    }
    work_ready.notify_all();
    for (std::thread& worker : workers) worker.join();
  }
#endif
};

ThreadPool::ThreadPool(std::size_t threads) : state_(std::make_unique<State>()) {
  VITRINE_CHECK(threads >= 1 && threads <= 256, ErrorCode::invalid_option, "threads: expected 1 to 256, found ",
                threads);
  state_->size = threads;
#if VITRINE_HAS_THREADS
  try {
    for (std::size_t index = 1; index < threads; ++index) {
      state_->workers.emplace_back([state = state_.get(), index] { state->work(index); });
    }
  } catch (const std::exception& error) {
    // A thread that runs on keeps its std::thread from being destroyed.
    state_->stop();
    fail(ErrorCode::out_of_memory,
         str("threads: expected ", threads, ", found room for ", state_->workers.size() + 1, " (", error.what(), ")"));
  }
#else
  VITRINE_CHECK(threads == 1, ErrorCode::invalid_option, "threads: expected 1 in a build without threads, found ",
                threads);
#endif
}

ThreadPool::~ThreadPool() {
#if VITRINE_HAS_THREADS
  state_->stop();
#endif
}

std::size_t ThreadPool::size() const { return state_->size; }

void ThreadPool::run_if_worth_it(std::size_t work, std::size_t count, Body body) {
  constexpr std::size_t kParallelWork = std::size_t{1} << 18;
  if (work >= kParallelWork) return run(count, body);
  if (count > 0) body(0, count, 0);
}

void ThreadPool::run(std::size_t count, Body body) {
  if (count == 0) return;
  if (state_->size == 1 || count == 1) {
    body(0, count, 0);
    return;
  }
#if VITRINE_HAS_THREADS
  {
    const std::lock_guard lock(state_->mutex);
    state_->body = &body;
    state_->count = count;
    state_->running = state_->workers.size();
    state_->failure = nullptr;
    ++state_->generation;
  }
  state_->work_ready.notify_all();
  state_->run_piece(0);
  std::unique_lock lock(state_->mutex);
  state_->work_done.wait(lock, [&] { return state_->running == 0; });
  if (state_->failure) std::rethrow_exception(state_->failure);
#endif
}

}  // namespace vitrine
