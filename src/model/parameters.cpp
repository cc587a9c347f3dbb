// The weight table is built once, in the order of the architecture; files, gradients and moments follow its names.
#include "model/parameters.hpp"

#include <algorithm>

namespace vitrine {

namespace {

std::size_t arena_floats(const ModelConfig& c) {
  const std::size_t block = 2 * Arena::padded(c.d_model) + Arena::padded((c.q_width() + 2 * c.kv_width()) * c.d_model) +
                            Arena::padded(c.d_model * c.q_width()) + Arena::padded(2 * c.d_ff * c.d_model) +
                            Arena::padded(c.d_model * c.d_ff);
  const std::size_t tables = Arena::padded(c.vocab_size * c.d_model) * (c.tied_head ? 1 : 2);
  return tables + c.n_layers * block + Arena::padded(c.d_model);
}

}  // namespace

Parameters::Parameters(const ModelConfig& c) {
  validate(c);
  arena_ = Arena(arena_floats(c));
  embedding_ = matrix(c.vocab_size, c.d_model);
  name_rows("model.embed_tokens.weight", embedding_, 0, c.vocab_size);
  for (std::size_t layer = 0; layer < c.n_layers; ++layer) {
    const std::string prefix = "model.layers." + std::to_string(layer) + ".";
    BlockParameters block;
    block.attention_norm = vector(prefix + "input_layernorm.weight", c.d_model);
    block.qkv = matrix(c.q_width() + 2 * c.kv_width(), c.d_model);
    name_rows(prefix + "self_attn.q_proj.weight", block.qkv, 0, c.q_width());
    name_rows(prefix + "self_attn.k_proj.weight", block.qkv, c.q_width(), c.kv_width());
    name_rows(prefix + "self_attn.v_proj.weight", block.qkv, c.q_width() + c.kv_width(), c.kv_width());
    block.attention_output = matrix(c.d_model, c.q_width());
    name_rows(prefix + "self_attn.o_proj.weight", block.attention_output, 0, c.d_model);
    block.mlp_norm = vector(prefix + "post_attention_layernorm.weight", c.d_model);
    block.gate_up = matrix(2 * c.d_ff, c.d_model);
    name_rows(prefix + "mlp.gate_proj.weight", block.gate_up, 0, c.d_ff);
    name_rows(prefix + "mlp.up_proj.weight", block.gate_up, c.d_ff, c.d_ff);
    block.down = matrix(c.d_model, c.d_ff);
    name_rows(prefix + "mlp.down_proj.weight", block.down, 0, c.d_model);
    blocks_.push_back(block);
  }
  final_norm_ = vector("model.norm.weight", c.d_model);
  head_ = embedding_;
  if (!c.tied_head) {
    head_ = matrix(c.vocab_size, c.d_model);
    name_rows("lm_head.weight", head_, 0, c.vocab_size);
  }
}

Parameters::Parameters(const ModelConfig& config, const NamedTensors& tensors) : Parameters(config) {
  assign(tensors);
  for (const auto& [name, tensor] : tensors) {
    const bool known = std::any_of(named_.begin(), named_.end(), [&wanted = name](const NamedParameter& parameter) {
      return parameter.name == wanted;
    });
    VITRINE_CHECK(known, ErrorCode::unexpected_tensor, name,
                  ": expected only weights of the architecture, found one that belongs to none");
  }
}

View<float, 2> Parameters::matrix(std::size_t rows, std::size_t columns) { return arena_.take<2>({rows, columns}); }

View<float, 1> Parameters::vector(const std::string& name, std::size_t size) {
  const View<float, 1> values = arena_.take<1>({size});
  named_.push_back({name, {size}, values});
  return values;
}

void Parameters::name_rows(const std::string& name, View<float, 2> matrix, std::size_t first_row, std::size_t rows) {
  const View<float, 2> part = matrix.slice(first_row, rows);
  named_.push_back({name, {rows, matrix.extent(1)}, View<float, 1>(part.data(), {part.size()})});
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
