// Rotary position embedding, forward and backward (Su et al. 2021): pairs of a head's entries are rotated by
// position * theta^(-2i/D). The backward pass is the inverse rotation. Positions are always absolute.
#pragma once

#include "kernels/rope.hpp"
#include "tensor/arena.hpp"
#include "tensor/view.hpp"

namespace vitrine {

/// Cosines and sines of every position, computed once at load.
class RopeTable {
 public:
  RopeTable(std::size_t positions, std::size_t head_dim, double theta, kernels::RopePairing pairing)
      : pairing_(pairing), arena_(2 * Arena::padded(positions * (head_dim / 2))) {
    cosines_ = arena_.take<2>({positions, head_dim / 2});
    sines_ = arena_.take<2>({positions, head_dim / 2});
    kernels::rope_table(theta, positions, head_dim, cosines_.data(), sines_.data());
  }

  /// Rotates the heads of one token in place: heads [heads, D], contiguous.
  void rotate(View<float, 2> heads, std::size_t position) const {
    kernels::rotate(heads.data(), heads.extent(0), heads.extent(1), cosines_[position].data(), sines_[position].data(),
                    pairing_);
  }
  void rotate_back(View<float, 2> d_heads, std::size_t position) const {
    kernels::rotate_backward(d_heads.data(), d_heads.extent(0), d_heads.extent(1), cosines_[position].data(),
                             sines_[position].data(), pairing_);
  }

 private:
  kernels::RopePairing pairing_;
  Arena arena_;
  View<float, 2> cosines_;  // [positions, D/2]
  View<float, 2> sines_;    // [positions, D/2]
};

}  // namespace vitrine
