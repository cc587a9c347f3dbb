#include "model/block.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "support/random_floats.hpp"
#include "support/tiny_model.hpp"

namespace vitrine {
namespace {

/// Memory for one call of a block; `in_place` makes the residual stream one buffer, as inference does.
struct BlockMemory {
  BlockMemory(const ModelConfig& c, std::size_t rows, bool in_place) : arena(1 << 16) {
    const auto take = [&](std::size_t width) { return arena.take<2>({rows, width}); };
    buffers = {.x = take(c.d_model),
               .normed_attention = take(c.d_model),
               .inv_rms_attention = arena.take<1>({rows}),
               .qkv = take(attention_shape(c).qkv_width()),
               .attended = take(c.q_width()),
               .x_mid = take(c.d_model),
               .normed_mlp = take(c.d_model),
               .inv_rms_mlp = arena.take<1>({rows}),
               .gate_up = take(2 * c.d_ff),
               .hidden = take(c.d_ff),
               .x_out = take(c.d_model)};
    if (in_place) buffers.x_mid = buffers.x_out = buffers.x;
    branch = take(c.d_model);
    scratch = arena.take<2>({1, attention_scratch(attention_shape(c), c.max_seq_len)});
  }

  Arena arena;
  BlockBuffers buffers;
  View<float, 2> branch, scratch;
};

TEST_CASE("the memory plans of inference and of training give the same stream, and training keeps its input") {
  const ModelConfig config = test::tiny_config();
  const Parameters parameters(config, test::random_weights(config, 1));
  ThreadPool pool;
  PackedWeights weights(config);
  weights.pack(parameters, pool);
  const RopeTable rope(config.max_seq_len, config.head_dim, config.rope_theta, config.rope_pairing);
  const std::size_t rows = 9;
  const std::vector<float> x = test::random_floats(rows * config.d_model, 2);
  std::vector<std::vector<float>> streams;
  for (const bool in_place : {true, false}) {
    BlockMemory memory(config, rows, in_place);
    KvCache cache(config.kv_shape());
    const SequenceRows sequence{.first_row = 0, .rows = rows, .past = 0, .cache = &cache};
    AttentionSequence attention;
    std::copy(x.begin(), x.end(), memory.buffers.x.data());
    const BlockContext context{.config = config,
                               .rope = rope,
                               .sequences = {&sequence, 1},
                               .attention = {&attention, 1},
                               .attention_scratch = memory.scratch,
                               .branch = memory.branch,
                               .pool = pool};
    block_forward(context, weights.blocks()[1], 1, memory.buffers);
    CHECK(cache.length() == 0);  // stored, but only forward() commits
    const float* out = memory.buffers.x_out.data();
    streams.emplace_back(out, out + rows * config.d_model);
    if (!in_place) CHECK(std::equal(x.begin(), x.end(), memory.buffers.x.data()));
  }
  CHECK(streams[0] == streams[1]);
  CHECK(streams[0] != x);
}

}  // namespace
}  // namespace vitrine
