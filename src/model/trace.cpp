// One set of buffers in which the stream before, between and after a layer's branches are apart; what is asked of a
// layer is read before the next one overwrites it.
#include "model/trace.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.hpp"
#include "kernels/reduce.hpp"
#include "layers/embedding.hpp"
#include "layers/linear.hpp"
#include "layers/rms_norm.hpp"
#include "model/block.hpp"

namespace vitrine {

namespace {

struct TraceMemory {
  TraceMemory(const ModelConfig& c, std::size_t rows, std::size_t threads, std::size_t kv_floats)
      : arena(plan(c, rows, threads, kv_floats)) {
    buffers.x = take_rows(rows, c.d_model);
    buffers.normed_attention = take_rows(rows, c.d_model);
    buffers.inv_rms_attention = arena.take<1>({rows});
    buffers.qkv = take_rows(rows, attention_shape(c).qkv_width());
    buffers.attended = take_rows(rows, c.q_width());
    buffers.x_mid = take_rows(rows, c.d_model);
    buffers.normed_mlp = take_rows(rows, c.d_model);
    buffers.inv_rms_mlp = arena.take<1>({rows});
    buffers.gate_up = take_rows(rows, 2 * c.d_ff);
    buffers.hidden = take_rows(rows, c.d_ff);
    buffers.x_out = take_rows(rows, c.d_model);
    branch = take_rows(rows, c.d_model);
    attention_scores = arena.take<2>({threads, attention_scratch(attention_shape(c), c.max_seq_len)});
    kv_scratch = arena.take<1>({kv_floats});
    row = arena.take<2>({1, std::max(c.d_model, attention_shape(c).qkv_width())});
    logits = arena.take<2>({1, c.vocab_size});
  }

  static std::size_t plan(const ModelConfig& c, std::size_t rows, std::size_t threads, std::size_t kv_floats) {
    const std::size_t qkv = attention_shape(c).qkv_width();
    std::size_t floats = 0;
    for (const std::size_t width : {6 * c.d_model, std::size_t{2}, qkv, c.q_width(), 3 * c.d_ff}) {
      floats += checked_size(checked_multiply(rows, width, "trace"), "trace");
    }
    floats += threads * attention_scratch(attention_shape(c), c.max_seq_len) + kv_floats + std::max(c.d_model, qkv) +
              c.vocab_size;
    return floats + 16 * Arena::padded(1);
  }

  View<float, 2> take_rows(std::size_t rows, std::size_t width) { return arena.take<2>({rows, width}); }

  Arena arena;
  BlockBuffers buffers;
  View<float, 2> branch;
  View<float, 2> attention_scores;
  View<float, 1> kv_scratch;
  View<float, 2> row;
  View<float, 2> logits;
};

std::vector<float> copy_of(const float* values, std::size_t count) { return {values, values + count}; }

float root_mean_square(View<const float, 1> x) {
  return std::sqrt(kernels::sum_of_squares(x.data(), x.size()) / static_cast<float>(x.size()));
}

/// One pass over a prefix, layer by layer.
class Tracer {
 public:
  Tracer(Transformer& model, std::span<const TokenId> tokens)
      : parts_(model.parts()),
        cache_(model.make_cache()),
        memory_(parts_.config, tokens.size(), parts_.pool.size(), kv_scratch_floats(cache_.shape())),
        sequence_{0, tokens.size(), 0, &cache_},
        last_(tokens.size() - 1) {
    embedding_forward(tokens, parts_.weights.embedding(), memory_.buffers.x);
  }

  PositionTrace run() {
    const BlockContext context{.config = parts_.config,
                               .rope = parts_.rope,
                               .sequences = {&sequence_, 1},
                               .attention = {&attention_, 1},
                               .attention_scratch = memory_.attention_scores,
                               .branch = memory_.branch,
                               .kv_scratch = memory_.kv_scratch,
                               .pool = parts_.pool};
    PositionTrace trace;
    for (std::size_t layer = 0; layer < parts_.config.n_layers; ++layer) {
      block_forward(context, parts_.weights.blocks()[layer], layer, memory_.buffers);
      if (layer == 0) read_query(trace);
      trace.layers.push_back(read_layer(layer));
      std::swap(memory_.buffers.x, memory_.buffers.x_out);
    }
    return trace;
  }

 private:
  LayerTrace read_layer(std::size_t layer) {
    LayerTrace trace;
    trace.attention = read_attention(layer);
    trace.rms_before = root_mean_square(memory_.buffers.x[last_]);
    trace.rms_after_attention = root_mean_square(memory_.buffers.x_mid[last_]);
    trace.rms_after_mlp = root_mean_square(memory_.buffers.x_out[last_]);
    const View<float, 2> normed(memory_.row.data(), {1, parts_.config.d_model});
    rms_norm_forward(memory_.buffers.x_out.slice(last_, 1), parts_.weights.final_norm(), parts_.config.norm_eps, normed,
                     memory_.buffers.inv_rms_mlp);
    linear_forward(normed, parts_.weights.head(), memory_.logits, parts_.pool);
    trace.logits = copy_of(memory_.logits.data(), parts_.config.vocab_size);
    return trace;
  }

  /// Attention of the last position again, a key/value head at a time: its weights then stay in the scratch.
  std::vector<std::vector<float>> read_attention(std::size_t layer) {
    const ModelConfig& c = parts_.config;
    const AttentionShape one_head{c.group(), 1, c.head_dim};
    const KvLayer kv = cache_.read(layer, last_ + 1, memory_.kv_scratch);
    const View<float, 2> qkv(memory_.row.data(), {1, one_head.qkv_width()});
    std::vector<float> attended(one_head.key_offset());
    std::vector<std::vector<float>> weights;
    for (std::size_t kv_head = 0; kv_head < c.n_kv_heads; ++kv_head) {
      const float* queries = memory_.buffers.qkv[last_].data() + kv_head * one_head.key_offset();
      std::copy_n(queries, one_head.key_offset(), qkv.data());
      const AttentionSequence sequence{0, 1, last_, kv.keys.slice(kv_head, 1), kv.values.slice(kv_head, 1)};
      attention_forward(one_head, qkv, {&sequence, 1}, memory_.attention_scores,
                        View<float, 2>(attended.data(), {1, attended.size()}), parts_.pool);
      for (std::size_t g = 0; g < c.group(); ++g) {
        weights.push_back(copy_of(memory_.attention_scores.data() + g * (last_ + 1), last_ + 1));
      }
    }
    return weights;
  }

  /// The block rotates in place, so the query from before is projected again.
  void read_query(PositionTrace& trace) {
    const std::size_t D = parts_.config.head_dim;
    trace.query_after = copy_of(memory_.buffers.qkv[last_].data(), D);
    const View<float, 2> qkv(memory_.row.data(), {1, attention_shape(parts_.config).qkv_width()});
    linear_forward(memory_.buffers.normed_attention.slice(last_, 1), parts_.weights.blocks().front().qkv, qkv,
                   parts_.pool);
    trace.query_before = copy_of(qkv.data(), D);
  }

  Transformer::Parts parts_;
  KvCache cache_;
  TraceMemory memory_;
  SequenceRows sequence_;
  AttentionSequence attention_;
  std::size_t last_;
};

}  // namespace

PositionTrace trace_last_position(Transformer& model, std::span<const TokenId> tokens) {
  const ModelConfig& c = model.config();
  VITRINE_CHECK(!tokens.empty(), ErrorCode::invalid_option, "trace: expected at least one token, found none");
  VITRINE_CHECK(tokens.size() <= c.max_seq_len, ErrorCode::context_full, "trace: expected at most ", c.max_seq_len,
                " tokens, found ", tokens.size());
  for (const TokenId token : tokens) {
    VITRINE_CHECK(token >= 0 && static_cast<std::size_t>(token) < c.vocab_size, ErrorCode::invalid_token,
                  "trace: expected a token id below ", c.vocab_size, ", found ", token);
  }
  return Tracer(model, tokens).run();
}

}  // namespace vitrine
