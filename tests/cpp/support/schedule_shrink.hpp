// Makes a schedule that fails smaller as long as it goes on failing: fewer operations, smaller numbers, a simpler
// architecture. Greedy, so what it ends with is small, not smallest.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "support/schedule.hpp"

namespace vitrine::test {

class ScheduleShrinker {
 public:
  using Fails = std::function<bool(const Schedule&)>;

  /// `best` fails. At most `budget` schedules are tried.
  ScheduleShrinker(Schedule best, Fails fails, std::size_t budget = 5000)
      : best_(std::move(best)), fails_(std::move(fails)), budget_(budget) {}

  Schedule shrink() {
    while (drop_operations() || simplify_operations() || simplify_architecture()) continue;
    return best_;
  }

 private:
  bool attempt(const Schedule& candidate) {
    if (candidate == best_ || budget_ == 0) return false;
    --budget_;
    if (!fails_(candidate)) return false;
    best_ = candidate;
    return true;
  }

  /// Halves first, then ever shorter ranges down to one operation.
  bool drop_operations() {
    bool any = false;
    for (std::size_t length = best_.operations.size(); length > 0; length /= 2) {
      for (std::size_t begin = 0; begin + length <= best_.operations.size();) {
        Schedule candidate = best_;
        const auto from = candidate.operations.begin() + static_cast<std::ptrdiff_t>(begin);
        candidate.operations.erase(from, from + static_cast<std::ptrdiff_t>(length));
        if (attempt(candidate)) {
          any = true;
        } else {
          ++begin;
        }
      }
    }
    return any;
  }

  /// Tries smaller values of one number, at multiples of `step` from `least` on.
  template <class Number>
  bool reduce(Number number, std::size_t least, std::size_t step = 1) {
    const std::size_t value = number(best_);
    if (value <= least) return false;
    for (const std::size_t target : {least, least + (value - least) / 2 / step * step, value - step}) {
      Schedule candidate = best_;
      number(candidate) = target;
      if (target < value && attempt(candidate)) return true;
    }
    return false;
  }

  bool simplify_operations() {
    bool any = false;
    for (std::size_t i = 0; i < best_.operations.size(); ++i) {
      for (std::size_t p = best_.operations[i].parts.size(); p-- > 0;) {
        const auto part = [i, p](Schedule& s) -> Part& { return s.operations[i].parts[p]; };
        Schedule candidate = best_;
        candidate.operations[i].parts.erase(candidate.operations[i].parts.begin() + static_cast<std::ptrdiff_t>(p));
        if (best_.operations[i].parts.size() > 1 && attempt(candidate)) {
          any = true;
          continue;
        }
        any |= reduce([&](Schedule& s) -> std::size_t& { return part(s).row; }, 0);
        any |= reduce([&](Schedule& s) -> std::size_t& { return part(s).amount; }, 0);
        any |= reduce([&](Schedule& s) -> std::size_t& { return part(s).text; }, 0);
      }
      Schedule candidate = best_;
      candidate.operations[i].action = Action::all;
      any |= attempt(candidate);
    }
    return any;
  }

  bool simplify_architecture() {
    bool any = false;
    const auto set = [&](auto change) {
      Schedule candidate = best_;
      change(candidate);
      any |= attempt(candidate);
    };
    set([](Schedule& s) { s.cache_dtype = KvDType::f32; });
    set([](Schedule& s) { s.threads = 1; });
    set([](Schedule& s) { s.config.tied_head = true; });
    set([](Schedule& s) { s.config.rope_pairing = kernels::RopePairing::halves; });
    set([](Schedule& s) { s.config.rope_theta = 10000.0; });
    set([](Schedule& s) { s.config.norm_eps = 1e-5f; });
    set([](Schedule& s) { s.config.n_heads = s.config.n_kv_heads = 1; });
    set([](Schedule& s) { s.config.n_heads = s.config.n_kv_heads; });
    set([](Schedule& s) { s.config.n_heads /= std::exchange(s.config.n_kv_heads, 1); });
    set([](Schedule& s) { s.seed = 1; });
    const std::array numbers = {&ModelConfig::n_layers, &ModelConfig::d_model, &ModelConfig::d_ff,
                                &ModelConfig::vocab_size, &ModelConfig::max_seq_len};
    for (const auto member : numbers) {
      const std::size_t least = member == &ModelConfig::vocab_size ? 2 : 1;
      any |= reduce([member](Schedule& s) -> std::size_t& { return s.config.*member; }, least);
    }
    any |= reduce([](Schedule& s) -> std::size_t& { return s.config.head_dim; }, 2, 2);
    return any;
  }

  Schedule best_;
  Fails fails_;
  std::size_t budget_;
};

}  // namespace vitrine::test
