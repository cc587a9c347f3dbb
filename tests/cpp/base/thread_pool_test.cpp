#include "base/thread_pool.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <vector>

#ifdef __linux__
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#endif

#include "support/expect_error.hpp"

using namespace vitrine;

namespace {

#if !defined(__EMSCRIPTEN__) || defined(__EMSCRIPTEN_PTHREADS__)
const std::vector<std::size_t> kPoolSizes = {1, 2, 3, 4, 7};
#else
const std::vector<std::size_t> kPoolSizes = {1};
#endif

}  // namespace

TEST_CASE("every index of a range is handed out exactly once, for any count and any number of threads") {
  for (const std::size_t threads : kPoolSizes) {
    ThreadPool pool(threads);
    CHECK(pool.size() == threads);
    for (std::size_t count = 0; count <= 40; ++count) {
      std::vector<int> visits(count, 0);
      std::atomic<std::size_t> pieces{0};
      pool.run(count, [&](std::size_t begin, std::size_t end, std::size_t) {
        ++pieces;
        for (std::size_t i = begin; i < end; ++i) ++visits[i];
      });
      CHECK(std::count(visits.begin(), visits.end(), 1) == static_cast<std::ptrdiff_t>(count));
      CHECK(pieces <= std::min(threads, count));
    }
  }
}

TEST_CASE("pieces that run at once have different numbers below the pool's size") {
  for (const std::size_t threads : kPoolSizes) {
    ThreadPool pool(threads);
    std::vector<std::atomic<int>> used(threads);
    for (int repeat = 0; repeat < 50; ++repeat) {
      pool.run(100, [&](std::size_t, std::size_t, std::size_t piece) {
        REQUIRE(piece < threads);
        ++used[piece];
      });
    }
    for (const auto& count : used) CHECK(count == 50);
  }
}

TEST_CASE("a pool serves many runs one after the other") {
  ThreadPool pool(kPoolSizes.back());
  std::vector<std::size_t> values(16, 0);
  for (int repeat = 0; repeat < 2000; ++repeat) {
    pool.run(values.size(), [&](std::size_t begin, std::size_t end, std::size_t) {
      for (std::size_t i = begin; i < end; ++i) values[i] += i;
    });
  }
  for (std::size_t i = 0; i < values.size(); ++i) CHECK(values[i] == 2000 * i);
}

TEST_CASE("little work stays with the caller, whole; more of it is handed out as run does") {
  for (const std::size_t threads : kPoolSizes) {
    ThreadPool pool(threads);
    const auto pieces = [&](std::size_t work, std::size_t count) {
      std::atomic<std::size_t> covered{0}, calls{0};
      pool.run_if_worth_it(work, count, [&](std::size_t begin, std::size_t end, std::size_t) {
        covered += end - begin;
        ++calls;
      });
      CHECK(covered == count);
      return calls.load();
    };
    CHECK(pieces(1000, 12) == 1);
    CHECK(pieces(1000, 0) == 0);
    CHECK(pieces(std::size_t{1} << 30, 12) == threads);
    CHECK(pieces(std::size_t{1} << 30, 0) == 0);
  }
}

TEST_CASE("an exception of any piece reaches the caller after all pieces have ended, and the pool works on") {
  for (const std::size_t threads : kPoolSizes) {
    ThreadPool pool(threads);
    for (std::size_t bad = 0; bad < 12; ++bad) {
      CHECK_THROWS_AS(pool.run(12,
                               [&](std::size_t begin, std::size_t end, std::size_t) {
                                 if (begin <= bad && bad < end) throw std::runtime_error("piece");
                               }),
                      std::runtime_error);
      std::atomic<std::size_t> done{0};
      pool.run(12, [&](std::size_t begin, std::size_t end, std::size_t) { done += end - begin; });
      CHECK(done == 12);
    }
  }
}

TEST_CASE("a number of threads that cannot be had is refused") {
  CHECK_ERROR(ErrorCode::invalid_option, "threads: expected", ThreadPool(0));
  CHECK_ERROR(ErrorCode::invalid_option, "found 257", ThreadPool(257));
#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)
  CHECK_ERROR(ErrorCode::invalid_option, "without threads", ThreadPool(2));
#endif
}

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)  // the sanitizer takes address space of its own for a thread
TEST_CASE("a machine that refuses a thread is out of memory, and those that had begun have ended") {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  REQUIRE(pages > 0);
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
  // Room for the stacks of a few threads, not for those of 256.
  rlimit narrow = before;
  narrow.rlim_cur = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (rlim_t{64} << 20);
  REQUIRE(setrlimit(RLIMIT_AS, &narrow) == 0);
  CHECK_ERROR(ErrorCode::out_of_memory, "threads: expected 256, found room for ", ThreadPool(256));
  REQUIRE(setrlimit(RLIMIT_AS, &before) == 0);
  CHECK(ThreadPool(2).size() == 2);
}
#endif
