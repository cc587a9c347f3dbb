// What each fault of a forward pass does, one function a kind.
#include "model/injected_fault.hpp"

#include <algorithm>

#include "kernels/attention.hpp"
#include "model/block.hpp"

namespace vitrine {

namespace {

/// Key and value [2 Hkv D] of one row of qkv.
std::span<float> key_and_value(const ModelConfig& c, View<float, 2> qkv, std::size_t row) {
  return {qkv[row].data() + c.q_width(), 2 * c.kv_width()};
}

/// The first new key and value of each sequence go to the next one, those of the last to the first.
void pass_to_neighbour(const BlockContext& context, View<float, 2> qkv) {
  for (const SequenceRows& sequence : context.sequences.subspan(1)) {
    const std::span<float> first = key_and_value(context.config, qkv, context.sequences[0].first_row);
    const std::span<float> other = key_and_value(context.config, qkv, sequence.first_row);
    std::swap_ranges(first.begin(), first.end(), other.begin());
  }
}

void store_zeros(const ModelConfig& c, KvCache& cache, std::size_t layer, std::size_t position) {
  const std::vector<float> zeros(c.kv_width(), 0.0f);
  const View<const float, 2> heads(zeros.data(), {c.n_kv_heads, c.head_dim});
  cache.store(layer, position, heads, heads);
}

}  // namespace

bool changes_nothing(Fault fault, const ModelConfig& config) {
  return fault == Fault::heads_grouped_by_modulo && (config.n_kv_heads == 1 || config.group() == 1);
}

InjectedFault::InjectedFault(Fault fault, const ModelConfig& config)
    : fault_(fault), config_(config), heads_(config.q_width()) {
  if (fault == Fault::norm_epsilon_wrong) config_.norm_eps *= 0.1f;
}

void InjectedFault::before_rotation(const BlockContext& context, std::size_t cache_layer, View<float, 2> qkv) {
  switch (fault_) {
    case Fault::position_off_by_one:
    case Fault::rope_twice:
    case Fault::key_rotated_by_slot:
      return turn_further(context, qkv);
    case Fault::stale_row_after_rewind:
      return recall_rewound_rows(context, cache_layer, qkv);
    case Fault::row_in_neighbours_cache:
      return pass_to_neighbour(context, qkv);
    case Fault::heads_grouped_by_modulo:
      return regroup_heads(qkv, false);
    default:
      return;
  }
}

/// Rotations add up, so a wrong position is a right one and a further turn.
void InjectedFault::turn_further(const BlockContext& context, View<float, 2> qkv) const {
  const ModelConfig& c = config_;
  for (const SequenceRows& sequence : context.sequences) {
    for (std::size_t t = 0; t < sequence.rows; ++t) {
      const std::size_t position = sequence.past + t;
      float* row = qkv[sequence.first_row + t].data();
      const View<float, 2> queries_and_keys(row, {c.n_heads + c.n_kv_heads, c.head_dim});
      const View<float, 2> keys(row + c.q_width(), {c.n_kv_heads, c.head_dim});
      if (fault_ == Fault::rope_twice) context.rope.rotate(queries_and_keys, position);
      if (fault_ == Fault::position_off_by_one && sequence.past > 0) context.rope.rotate(queries_and_keys, 1);
      if (fault_ == Fault::key_rotated_by_slot) {
        context.rope.rotate_back(keys, position - position % kernels::kKeyBlock);
      }
    }
  }
}

/// A row stored at a position that was stored before, which a rewind alone makes possible, gets what stood there. A
/// sequence that begins anew has nothing to recall.
void InjectedFault::recall_rewound_rows(const BlockContext& context, std::size_t cache_layer, View<float, 2> qkv) {
  for (const SequenceRows& sequence : context.sequences) {
    auto& stored = stored_[{sequence.cache, cache_layer}];
    if (sequence.past == 0) stored.clear();
    if (const auto old = stored.find(sequence.past); old != stored.end()) {
      std::copy(old->second.begin(), old->second.end(), key_and_value(config_, qkv, sequence.first_row).begin());
    }
    stored.erase(stored.lower_bound(sequence.past), stored.end());
    for (std::size_t t = 0; t < sequence.rows; ++t) {
      const std::span<const float> row = key_and_value(config_, qkv, sequence.first_row + t);
      stored[sequence.past + t].assign(row.begin(), row.end());
    }
  }
}

/// Attention serves the heads of a row in order, G for each key/value head. Modulo serves head i Hkv + j with key/value
/// head j, so that one goes to place j G + i, and its result back.
void InjectedFault::regroup_heads(View<float, 2> rows, bool back) {
  const std::size_t D = config_.head_dim, group = config_.group();
  for (std::size_t n = 0; n < rows.extent(0); ++n) {
    float* row = rows[n].data();
    std::copy_n(row, heads_.size(), heads_.begin());
    for (std::size_t j = 0; j < config_.n_kv_heads; ++j) {
      for (std::size_t i = 0; i < group; ++i) {
        const std::size_t head = i * config_.n_kv_heads + j, place = j * group + i;
        std::copy_n(heads_.data() + (back ? place : head) * D, D, row + (back ? head : place) * D);
      }
    }
  }
}

std::span<const AttentionSequence> InjectedFault::visible(std::span<const AttentionSequence> sequences) {
  if (fault_ != Fault::softmax_over_wrong_length) return sequences;
  visible_.clear();
  for (const AttentionSequence& sequence : sequences) {
    if (sequence.past == 0) {
      visible_.push_back(sequence);
      continue;
    }
    // Each row as a sequence of its own, whose last position is the last one of before the call.
    for (std::size_t t = 0; t < sequence.rows; ++t) {
      visible_.push_back({sequence.first_row + t, 1, sequence.past - 1, sequence.keys, sequence.values});
    }
  }
  return visible_;
}

void InjectedFault::after_attention(const BlockContext& context, std::size_t cache_layer, View<float, 2> attended) {
  if (fault_ == Fault::heads_grouped_by_modulo) regroup_heads(attended, true);
  for (const SequenceRows& sequence : context.sequences) {
    if (sequence.past > 0) continue;
    if (fault_ == Fault::first_row_never_written) store_zeros(config_, *sequence.cache, cache_layer, 0);
    const bool begins_a_block = sequence.rows > 1 && sequence.rows % kernels::kKeyBlock == 1;
    if (fault_ == Fault::row_zeroed_at_some_lengths && begins_a_block) {
      store_zeros(config_, *sequence.cache, cache_layer, sequence.rows - 1);
    }
  }
}

}  // namespace vitrine
