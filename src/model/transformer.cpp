#include "model/transformer.hpp"

#include <algorithm>
#include <vector>

#include "base/thread_pool.hpp"
#include "layers/embedding.hpp"
#include "layers/rms_norm.hpp"
#include "model/block.hpp"
#include "model/injected_fault.hpp"
#include "model/packed_weights.hpp"
#include "model/parameters.hpp"

namespace vitrine {

namespace {

/// All scratch of a call of up to N rows. Every layer writes the same buffers: the residual stream is one.
struct Workspace {
  Workspace(const ModelConfig& c, const TransformerOptions& options)
      : arena(plan(c, options)), sequences(options.max_batch_rows), attention(options.max_batch_rows) {
    const std::size_t rows = options.max_batch_rows;
    const AttentionShape shape = attention_shape(c);
    buffers.x = buffers.x_mid = buffers.x_out = arena.take<2>({rows, c.d_model});
    buffers.normed_attention = buffers.normed_mlp = arena.take<2>({rows, c.d_model});
    buffers.inv_rms_attention = buffers.inv_rms_mlp = arena.take<1>({rows});
    buffers.qkv = arena.take<2>({rows, shape.qkv_width()});
    buffers.attended = arena.take<2>({rows, c.q_width()});
    buffers.gate_up = arena.take<2>({rows, 2 * c.d_ff});
    buffers.hidden = arena.take<2>({rows, c.d_ff});
    branch = arena.take<2>({rows, c.d_model});
    attention_scores = arena.take<2>({options.threads, attention_scratch(shape, c.max_seq_len)});
    kv_scratch = arena.take<1>({kv_scratch_floats(c.kv_shape(options.cache_dtype))});
    logits = arena.take<2>({rows, c.vocab_size});
  }

  static std::size_t plan(const ModelConfig& c, const TransformerOptions& options) {
    const AttentionShape shape = attention_shape(c);
    std::size_t floats = 0;
    for (const std::size_t width : {c.d_model, c.d_model, std::size_t{1}, shape.qkv_width(), c.q_width(), 2 * c.d_ff,
                                    c.d_ff, c.d_model, c.vocab_size}) {
      floats += Arena::padded(checked_size(checked_multiply(options.max_batch_rows, width, "workspace"), "workspace"));
    }
    return floats + Arena::padded(options.threads * attention_scratch(shape, c.max_seq_len)) +
           Arena::padded(kv_scratch_floats(c.kv_shape(options.cache_dtype)));
  }

  Arena arena;
  BlockBuffers buffers;
  View<float, 2> branch;
  View<float, 2> attention_scores;
  View<float, 1> kv_scratch;
  View<float, 2> logits;
  std::vector<SequenceRows> sequences;
  std::vector<AttentionSequence> attention;
};

/// What a model takes by formula, padding aside: its weights as read and as packed, the workspace of `max_batch_rows`
/// rows, the rotations, and one cache. What the context's length decides is in no proportion to a file's size.
std::uint64_t planned_bytes(const ModelConfig& c, const TransformerOptions& options) {
  const std::uint64_t weights = 2 * c.parameter_count() + std::uint64_t{c.vocab_size} * c.d_model;
  const std::uint64_t row = 3 * c.d_model + 2 * c.q_width() + 2 * c.kv_width() + 3 * c.d_ff + c.vocab_size + 1;
  const std::uint64_t scratch = options.threads * attention_scratch(attention_shape(c), c.max_seq_len);
  const std::uint64_t position = c.head_dim + 2 * std::uint64_t{c.n_layers} * c.kv_width();
  return sizeof(float) * (weights + options.max_batch_rows * row + scratch + c.max_seq_len * position);
}

/// Refuses a batch before anything has changed; returns its number of rows.
std::size_t check_batch(const ModelConfig& config, const TransformerOptions& options,
                        std::span<const SequenceInput> batch) {
  std::size_t rows = 0;
  for (const SequenceInput& input : batch) {
    VITRINE_CHECK(input.cache != nullptr && !input.tokens.empty(), ErrorCode::invalid_option,
                  "forward: expected a cache and at least one token a sequence, found none");
    VITRINE_CHECK(std::count_if(batch.begin(), batch.end(),
                                [&](const SequenceInput& other) { return other.cache == input.cache; }) == 1,
                  ErrorCode::invalid_option,
                  "forward: expected a cache of its own for each sequence, found one shared");
    const KvShape& shape = input.cache->shape();
    VITRINE_CHECK(shape == config.kv_shape() || shape == config.kv_shape(options.cache_dtype),
                  ErrorCode::invalid_option,
                  "forward: expected a cache made by this model, found another shape or dtype");
    for (const TokenId token : input.tokens) {
      VITRINE_CHECK(token >= 0 && static_cast<std::size_t>(token) < config.vocab_size, ErrorCode::invalid_token,
                    "forward: expected a token id below ", config.vocab_size, ", found ", token);
    }
    input.cache->require_room(input.tokens.size());
    rows += input.tokens.size();
    VITRINE_CHECK(rows <= options.max_batch_rows, ErrorCode::invalid_option, "forward: expected at most ",
                  options.max_batch_rows, " new tokens in a call, found more");
  }
  return rows;
}

}  // namespace

struct Transformer::State {
  State(const ModelConfig& model_config, const NamedTensors& tensors, const TransformerOptions& transformer_options)
      : config(model_config),
        options(transformer_options),
        pool(options.threads),
        rope(config.max_seq_len, config.head_dim, config.rope_theta, config.rope_pairing),
        weights(config),
        workspace(config, options) {
    weights.pack(Parameters(config, tensors), pool);
  }

  ModelConfig config;
  TransformerOptions options;
  ThreadPool pool;
  RopeTable rope;
  PackedWeights weights;
  Workspace workspace;
  std::unique_ptr<InjectedFault> fault;  // none, unless a test or a detector asked for one

  const ModelConfig& computed_config() const { return fault == nullptr ? config : fault->config(); }
  void lay_out(std::span<const SequenceInput> batch);
  View<const float, 2> compute_logits(std::span<const SequenceInput> batch, LogitsWanted wanted, std::size_t rows);
};

Transformer::Transformer(const ModelConfig& config, const NamedTensors& weights, const TransformerOptions& options) {
  validate(config);
  VITRINE_CHECK(options.max_batch_rows >= 1 && options.max_batch_rows <= (std::size_t{1} << 20),
                ErrorCode::invalid_option, "max_batch_rows: expected 1 to 1048576, found ", options.max_batch_rows);
  require_weights(config, weights);
  const std::uint64_t bytes = planned_bytes(config, options);
  VITRINE_CHECK(bytes <= options.max_bytes, ErrorCode::out_of_memory, "model: expected at most ", options.max_bytes,
                " bytes for weights, workspace and a cache of ", config.max_seq_len, " positions, found ", bytes);
  state_ = std::make_unique<State>(config, weights, options);
}

Transformer::~Transformer() = default;
Transformer::Transformer(Transformer&&) noexcept = default;
Transformer& Transformer::operator=(Transformer&&) noexcept = default;

const ModelConfig& Transformer::config() const { return state_->config; }
const TransformerOptions& Transformer::options() const { return state_->options; }
Transformer::Parts Transformer::parts() { return {state_->config, state_->weights, state_->rope, state_->pool}; }
std::uint64_t Transformer::weight_bytes() const { return state_->weights.bytes(); }
std::uint64_t Transformer::workspace_bytes() const { return state_->workspace.arena.bytes(); }

void Transformer::inject(Fault fault) {
  state_->fault = fault == Fault::none ? nullptr : std::make_unique<InjectedFault>(fault, state_->config);
}

void Transformer::exchange_fault(std::unique_ptr<InjectedFault>& fault) { state_->fault.swap(fault); }

Fault Transformer::fault() const { return state_->fault == nullptr ? Fault::none : state_->fault->fault(); }

/// Gives each sequence its rows of the call and embeds its tokens there.
void Transformer::State::lay_out(std::span<const SequenceInput> batch) {
  std::size_t row = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const std::size_t count = batch[i].tokens.size();
    workspace.sequences[i] = {row, count, batch[i].cache->length(), batch[i].cache};
    embedding_forward(batch[i].tokens, weights.embedding(), workspace.buffers.x.slice(row, count));
    row += count;
  }
}

/// Final norm and head over the rows asked for; the last row of each sequence is first moved to the front.
View<const float, 2> Transformer::State::compute_logits(std::span<const SequenceInput> batch, LogitsWanted wanted,
                                                        std::size_t rows) {
  const View<float, 2> x = workspace.buffers.x;
  if (wanted == LogitsWanted::none) return workspace.logits.slice(0, 0);
  std::size_t count = rows;
  if (wanted == LogitsWanted::last) {
    count = batch.size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t last = workspace.sequences[i].first_row + workspace.sequences[i].rows - 1;
      if (last != i) std::copy_n(x[last].data(), config.d_model, x[i].data());
    }
  }
  const View<float, 2> normed = workspace.buffers.normed_mlp.slice(0, count);
  rms_norm_forward(x.slice(0, count), weights.final_norm(), computed_config().norm_eps, normed,
                   workspace.buffers.inv_rms_mlp);
  linear_forward(normed, weights.head(), workspace.logits.slice(0, count), pool);
  return workspace.logits.slice(0, count);
}

View<const float, 2> Transformer::forward(std::span<const SequenceInput> batch, LogitsWanted wanted) {
  State& s = *state_;
  const std::size_t rows = check_batch(s.config, s.options, batch);
  s.lay_out(batch);
  const BlockContext context{.config = s.computed_config(),
                             .rope = s.rope,
                             .sequences = std::span(s.workspace.sequences).first(batch.size()),
                             .attention = s.workspace.attention,
                             .attention_scratch = s.workspace.attention_scores,
                             .branch = s.workspace.branch.slice(0, rows),
                             .kv_scratch = s.workspace.kv_scratch,
                             .fault = s.fault.get(),
                             .pool = s.pool};
  const BlockBuffers buffers = s.workspace.buffers.first_rows(rows);
  for (std::size_t layer = 0; layer < s.config.n_layers; ++layer) {
    block_forward(context, s.weights.blocks()[layer], layer, buffers);
  }
  for (const SequenceInput& input : batch) input.cache->commit(input.tokens);
  return s.compute_logits(batch, wanted, rows);
}

std::uint64_t Transformer::multiply_adds(std::size_t past, std::size_t tokens, std::size_t logits_rows) const {
  const ModelConfig& c = state_->config;
  const std::uint64_t matrices = std::uint64_t{c.d_model} * (2 * c.q_width() + 2 * c.kv_width() + 3 * c.d_ff);
  // Position p attends to p + 1 positions, once for the scores and once for the values.
  const std::uint64_t visible = tokens * std::uint64_t{past} + tokens * (std::uint64_t{tokens} + 1) / 2;
  return c.n_layers * (tokens * matrices + 2 * visible * c.q_width()) +
         logits_rows * std::uint64_t{c.d_model} * c.vocab_size;
}

std::uint64_t Transformer::bytes_read(std::size_t past, std::size_t tokens, std::size_t logits_rows) const {
  const ModelConfig& c = state_->config;
  const PackedWeights& weights = state_->weights;
  const auto floats = [](const PackedMatrix& matrix) { return std::uint64_t{matrix.outputs} * matrix.inputs; };
  std::uint64_t read = std::uint64_t{tokens} * c.d_model;
  for (const PackedBlock& block : weights.blocks()) {
    read +=
        floats(block.qkv) + floats(block.attention_output) + floats(block.gate_up) + floats(block.down) + 2 * c.d_model;
  }
  if (logits_rows > 0) read += floats(weights.head()) + c.d_model;
  std::uint64_t positions = 0;
  for (std::size_t begin = 0; begin < tokens; begin += kAttentionTile) {
    positions += past + std::min(tokens, begin + kAttentionTile);
  }
  return sizeof(float) * read + positions * kv_position_bytes(c.kv_shape(state_->options.cache_dtype));
}

}  // namespace vitrine
