// The weight table is built once, in the order of the architecture; files, gradients and moments follow its names.
#include "model/parameters.hpp"

#include <functional>
#include <set>
#include <utility>

namespace vitrine {

namespace {

std::size_t arena_floats(const ModelConfig& c) {
  const std::size_t block = 2 * Arena::padded(c.d_model) + Arena::padded((c.q_width() + 2 * c.kv_width()) * c.d_model) +
                            Arena::padded(c.d_model * c.q_width()) + Arena::padded(2 * c.d_ff * c.d_model) +
                            Arena::padded(c.d_model * c.d_ff);
  const std::size_t tables = Arena::padded(c.vocab_size * c.d_model) * (c.tied_head ? 1 : 2);
  return tables + c.n_layers * block + Arena::padded(c.d_model);
}

/// Calls visit(name, shape) for every weight of the architecture, in the order of the weight table.
template <class Visit>
void for_each_weight(const ModelConfig& c, Visit visit) {
  const std::uint64_t width = c.d_model;
  visit("model.embed_tokens.weight", Shape{c.vocab_size, width});
  for (std::size_t layer = 0; layer < c.n_layers; ++layer) {
    const std::string prefix = "model.layers." + std::to_string(layer) + ".";
    visit(prefix + "input_layernorm.weight", Shape{width});
    visit(prefix + "self_attn.q_proj.weight", Shape{c.q_width(), width});
    visit(prefix + "self_attn.k_proj.weight", Shape{c.kv_width(), width});
    visit(prefix + "self_attn.v_proj.weight", Shape{c.kv_width(), width});
    visit(prefix + "self_attn.o_proj.weight", Shape{width, c.q_width()});
    visit(prefix + "post_attention_layernorm.weight", Shape{width});
    visit(prefix + "mlp.gate_proj.weight", Shape{c.d_ff, width});
    visit(prefix + "mlp.up_proj.weight", Shape{c.d_ff, width});
    visit(prefix + "mlp.down_proj.weight", Shape{width, c.d_ff});
  }
  visit("model.norm.weight", Shape{width});
  if (!c.tied_head) visit("lm_head.weight", Shape{c.vocab_size, width});
}

View<float, 1> flat(View<float, 2> matrix) { return {matrix.data(), {matrix.size()}}; }

const ModelConfig& checked(const ModelConfig& config, const NamedTensors& tensors) {
  require_weights(config, tensors);
  return config;
}

}  // namespace

void require_weights(const ModelConfig& config, const NamedTensors& tensors) {
  validate(config);
  std::set<std::string, std::less<>> known;
  for_each_weight(config, [&](std::string name, const Shape& shape) {
    tensors.require(name, shape);
    known.insert(std::move(name));
  });
  for (const auto& [name, tensor] : tensors) {
    VITRINE_CHECK(known.contains(name), ErrorCode::unexpected_tensor, in_quotes(name),
                  ": expected only weights of the architecture, found one that belongs to none");
  }
}

Parameters::Parameters(const ModelConfig& c) {
  validate(c);
  arena_ = Arena(arena_floats(c));
  embedding_ = arena_.take<2>({c.vocab_size, c.d_model});
  for (std::size_t layer = 0; layer < c.n_layers; ++layer) {
    BlockParameters block;
    block.attention_norm = arena_.take<1>({c.d_model});
    block.qkv = arena_.take<2>({c.q_width() + 2 * c.kv_width(), c.d_model});
    block.attention_output = arena_.take<2>({c.d_model, c.q_width()});
    block.mlp_norm = arena_.take<1>({c.d_model});
    block.gate_up = arena_.take<2>({2 * c.d_ff, c.d_model});
    block.down = arena_.take<2>({c.d_model, c.d_ff});
    blocks_.push_back(block);
  }
  final_norm_ = arena_.take<1>({c.d_model});
  head_ = c.tied_head ? embedding_ : arena_.take<2>({c.vocab_size, c.d_model});
  name_weights(c);
}

Parameters::Parameters(const ModelConfig& config, const NamedTensors& tensors) : Parameters(checked(config, tensors)) {
  assign(tensors);
}

void Parameters::name_weights(const ModelConfig& c) {
  std::vector<View<float, 1>> values = {flat(embedding_)};
  for (const BlockParameters& block : blocks_) {
    const std::size_t q = c.q_width(), kv = c.kv_width();
    values.insert(values.end(),
                  {block.attention_norm, flat(block.qkv.slice(0, q)), flat(block.qkv.slice(q, kv)),
                   flat(block.qkv.slice(q + kv, kv)), flat(block.attention_output), block.mlp_norm,
                   flat(block.gate_up.slice(0, c.d_ff)), flat(block.gate_up.slice(c.d_ff, c.d_ff)), flat(block.down)});
  }
  values.push_back(final_norm_);
  if (!c.tied_head) values.push_back(flat(head_));
  for_each_weight(c, [&](std::string name, Shape shape) {
    const View<float, 1> weight = values[named_.size()];
    VITRINE_ASSERT(weight.size() == element_count(shape));
    named_.push_back({std::move(name), std::move(shape), weight});
  });
}

void Parameters::assign(const NamedTensors& tensors, const std::string& prefix) {
  for (const NamedParameter& parameter : named_) {
    const Tensor& tensor = tensors.require(prefix + parameter.name, parameter.shape);
    std::copy(tensor.data.begin(), tensor.data.end(), parameter.values.data());
  }
}

void Parameters::add_to(NamedTensors& tensors, const std::string& prefix) const {
  for (const NamedParameter& parameter : named_) {
    const float* data = parameter.values.data();
    tensors.insert(
        {prefix + parameter.name, parameter.shape, std::vector<float>(data, data + parameter.values.size())});
  }
}

NamedTensors Parameters::to_tensors() const {
  NamedTensors tensors;
  add_to(tensors);
  return tensors;
}

}  // namespace vitrine
