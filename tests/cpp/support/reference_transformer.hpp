// The whole forward pass in double, as plain loops over the formulas: an oracle for logits and, by finite differences,
// for every gradient. It shares no code with the kernels, the layers or the cache.
#pragma once

#include <cmath>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/config.hpp"
#include "tensor/named_tensors.hpp"

namespace vitrine::test {

using Row = std::vector<double>;
using Rows = std::vector<Row>;

class ReferenceTransformer {
 public:
  ReferenceTransformer(const ModelConfig& config, const NamedTensors& tensors) : c_(config) {
    for (const auto& [name, tensor] : tensors) weights_[name].assign(tensor.data.begin(), tensor.data.end());
  }

  /// The weights, to be shifted for a finite difference.
  Row& weight(const std::string& name) { return weights_.at(name); }

  /// Logits [T, V] of one sequence that starts at position 0.
  Rows logits(std::span<const TokenId> tokens) const {
    Rows x;
    const Row& table = weights_.at("model.embed_tokens.weight");
    for (const TokenId token : tokens) {
      const auto row = table.begin() + token * static_cast<std::ptrdiff_t>(c_.d_model);
      x.emplace_back(row, row + static_cast<std::ptrdiff_t>(c_.d_model));
    }
    for (std::size_t layer = 0; layer < c_.n_layers; ++layer) block(x, "model.layers." + std::to_string(layer) + ".");
    Rows out;
    for (const Row& row : x) {
      out.push_back(
          linear(norm(row, "model.norm.weight"), c_.tied_head ? "model.embed_tokens.weight" : "lm_head.weight"));
    }
    return out;
  }

  /// Sum of the cross entropies of one sequence.
  double loss(std::span<const TokenId> tokens, std::span<const TokenId> targets) const {
    const Rows rows = logits(tokens);
    double sum = 0;
    for (std::size_t t = 0; t < rows.size(); ++t) {
      double total = 0;
      for (const double logit : rows[t]) total += std::exp(logit);
      sum += std::log(total) - rows[t][static_cast<std::size_t>(targets[t])];
    }
    return sum;
  }

 private:
  Row linear(const Row& x, const std::string& name) const {
    const Row& w = weights_.at(name);
    Row y(w.size() / x.size(), 0.0);
    for (std::size_t m = 0; m < y.size(); ++m) {
      for (std::size_t k = 0; k < x.size(); ++k) y[m] += x[k] * w[m * x.size() + k];
    }
    return y;
  }

  Row norm(const Row& x, const std::string& name) const {
    const Row& gain = weights_.at(name);
    double squares = 0;
    for (const double value : x) squares += value * value;
    const double r = 1 / std::sqrt(squares / static_cast<double>(x.size()) + c_.norm_eps);
    Row y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = gain[i] * x[i] * r;
    return y;
  }

  void rotate(Row& heads, std::size_t position) const {
    const std::size_t half = c_.head_dim / 2;
    for (std::size_t start = 0; start < heads.size(); start += c_.head_dim) {
      for (std::size_t i = 0; i < half; ++i) {
        const double angle = static_cast<double>(position) *
                             std::pow(c_.rope_theta, -2.0 * static_cast<double>(i) / static_cast<double>(c_.head_dim));
        const bool halves = c_.rope_pairing == kernels::RopePairing::halves;
        double& a = heads[start + (halves ? i : 2 * i)];
        double& b = heads[start + (halves ? i + half : 2 * i + 1)];
        const double rotated = a * std::cos(angle) - b * std::sin(angle);
        b = a * std::sin(angle) + b * std::cos(angle);
        a = rotated;
      }
    }
  }

  /// What the heads of token t read from the tokens 0..t.
  Row attend(const Rows& q, const Rows& k, const Rows& v, std::size_t t) const {
    const std::size_t D = c_.head_dim;
    Row out(q[t].size(), 0.0);
    for (std::size_t h = 0; h < c_.n_heads; ++h) {
      const std::size_t kv = h / c_.group() * D;
      Row weights(t + 1, 0.0);
      double total = 0;
      for (std::size_t s = 0; s <= t; ++s) {
        for (std::size_t d = 0; d < D; ++d) weights[s] += q[t][h * D + d] * k[s][kv + d];
        weights[s] = std::exp(weights[s] / std::sqrt(static_cast<double>(D)));
        total += weights[s];
      }
      for (std::size_t s = 0; s <= t; ++s) {
        for (std::size_t d = 0; d < D; ++d) out[h * D + d] += weights[s] / total * v[s][kv + d];
      }
    }
    return out;
  }

  void block(Rows& x, const std::string& prefix) const {
    Rows q, k, v;
    for (std::size_t t = 0; t < x.size(); ++t) {
      const Row normed = norm(x[t], prefix + "input_layernorm.weight");
      q.push_back(linear(normed, prefix + "self_attn.q_proj.weight"));
      k.push_back(linear(normed, prefix + "self_attn.k_proj.weight"));
      v.push_back(linear(normed, prefix + "self_attn.v_proj.weight"));
      rotate(q[t], t);
      rotate(k[t], t);
    }
    for (std::size_t t = 0; t < x.size(); ++t) {
      add(x[t], linear(attend(q, k, v, t), prefix + "self_attn.o_proj.weight"));
      const Row normed = norm(x[t], prefix + "post_attention_layernorm.weight");
      Row hidden = linear(normed, prefix + "mlp.gate_proj.weight");
      const Row up = linear(normed, prefix + "mlp.up_proj.weight");
      for (std::size_t f = 0; f < hidden.size(); ++f) hidden[f] = hidden[f] / (1 + std::exp(-hidden[f])) * up[f];
      add(x[t], linear(hidden, prefix + "mlp.down_proj.weight"));
    }
  }

  static void add(Row& to, const Row& from) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
  }

  ModelConfig c_;
  std::map<std::string, Row> weights_;
};

}  // namespace vitrine::test
