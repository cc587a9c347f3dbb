// RopePairing: how a checkpoint pairs the entries of a head for RoPE. The rotation itself is kernels/rope.hpp; a
// configuration names the pairing without needing it.
#pragma once

namespace vitrine::kernels {

/// Which two entries of a head turn together as pair i of D/2.
enum class RopePairing {
  adjacent,  ///< 2i and 2i + 1 (RoFormer, GPT-J, the original Llama)
  halves,    ///< i and i + D/2 (GPT-NeoX, Hugging Face's Llama)
};

}  // namespace vitrine::kernels
