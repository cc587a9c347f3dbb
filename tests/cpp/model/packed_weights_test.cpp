#include "model/packed_weights.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "support/tiny_model.hpp"

namespace vitrine {
namespace {

/// Row `output` of a packed matrix, read back by multiplying with unit vectors: [inputs].
std::vector<float> unpack_row(const PackedMatrix& matrix, std::size_t output) {
  ThreadPool pool;
  std::vector<float> row, y(matrix.outputs, std::numeric_limits<float>::quiet_NaN());
  for (std::size_t k = 0; k < matrix.inputs; ++k) {
    std::vector<float> unit(matrix.inputs, 0.0f);
    unit[k] = 1.0f;
    linear_forward(View<const float, 2>(unit.data(), {1, unit.size()}), matrix, View<float, 2>(y.data(), {1, y.size()}),
                   pool);
    row.push_back(y[output]);
  }
  return row;
}

std::vector<float> row_of(View<const float, 2> matrix, std::size_t row) {
  return {matrix[row].data(), matrix[row].data() + matrix.extent(1)};
}

std::vector<float> column_of(View<const float, 2> matrix, std::size_t column) {
  std::vector<float> values;
  for (std::size_t row = 0; row < matrix.extent(0); ++row) values.push_back(matrix[row][column]);
  return values;
}

TEST_CASE("packing again takes up changed weights; packed matrices and transposes hold the same numbers") {
  const ModelConfig config = test::tiny_config();
  const Parameters parameters(config, test::random_weights(config, 1));
  ThreadPool pool;
  PackedWeights packed(config);
  PackedTransposes transposes(config);
  for (const float change : {0.0f, 1.0f}) {
    for (const NamedParameter& parameter : parameters.named()) parameter.values[0] += change;
    packed.pack(parameters, pool);
    transposes.pack(parameters, pool);
    for (std::size_t layer = 0; layer < config.n_layers; ++layer) {
      const BlockParameters& plain = parameters.blocks()[layer];
      const PackedBlock& block = packed.blocks()[layer];
      CHECK(unpack_row(block.qkv, 0) == row_of(plain.qkv, 0));
      CHECK(unpack_row(block.qkv, 59) == row_of(plain.qkv, 59));
      CHECK(unpack_row(block.attention_output, 21) == row_of(plain.attention_output, 21));
      CHECK(unpack_row(block.gate_up, 53) == row_of(plain.gate_up, 53));
      CHECK(unpack_row(block.down, 0) == row_of(plain.down, 0));
      CHECK(block.attention_norm[0] == plain.attention_norm[0]);
      CHECK(block.mlp_norm[21] == plain.mlp_norm[21]);
      CHECK(unpack_row(transposes.blocks[layer].qkv, 0) == column_of(plain.qkv, 0));
      CHECK(unpack_row(transposes.blocks[layer].attention_output, 35) == column_of(plain.attention_output, 35));
      CHECK(unpack_row(transposes.blocks[layer].gate_up, 21) == column_of(plain.gate_up, 21));
      CHECK(unpack_row(transposes.blocks[layer].down, 26) == column_of(plain.down, 26));
    }
    CHECK(unpack_row(packed.head(), 36) == row_of(parameters.head(), 36));
    CHECK(unpack_row(transposes.head, 0) == column_of(parameters.head(), 0));
    CHECK(packed.embedding()[36][21] == parameters.embedding()[36][21]);
    CHECK(packed.final_norm()[0] == parameters.final_norm()[0]);
  }
}

}  // namespace
}  // namespace vitrine
