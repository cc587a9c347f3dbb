// A step: batches, forward, backward, one norm over all gradients, AdamW, and the weights packed again.
#include "training/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "base/json.hpp"
#include "io/checkpoint_file.hpp"
#include "kernels/adamw.hpp"
#include "kernels/reduce.hpp"
#include "layers/cross_entropy.hpp"
#include "layers/embedding.hpp"
#include "layers/rms_norm.hpp"
#include "model/block.hpp"
#include "model/injected_fault.hpp"
#include "model/packed_weights.hpp"
#include "model/parameters.hpp"
#include "training/activation_store.hpp"
#include "training/initialize.hpp"

namespace vitrine {

namespace {

void require(bool condition, const char* option, const char* expected, double found) {
  VITRINE_CHECK(condition, ErrorCode::invalid_option, option, ": expected ", expected, ", found ", found);
}

void check_options(const TrainingOptions& o) {
  require(o.schedule.peak > 0 && std::isfinite(o.schedule.peak), "learning_rate", "a positive number", o.schedule.peak);
  require(o.schedule.minimum >= 0 && o.schedule.minimum <= o.schedule.peak, "min_learning_rate",
          "0 to the learning rate", o.schedule.minimum);
  require(o.schedule.total_steps >= 1, "steps", "at least 1", static_cast<double>(o.schedule.total_steps));
  require(o.schedule.warmup_steps <= o.schedule.total_steps, "warmup_steps", "at most the number of steps",
          static_cast<double>(o.schedule.warmup_steps));
  require(o.accumulation >= 1 && o.accumulation <= 4096, "accumulation", "1 to 4096",
          static_cast<double>(o.accumulation));
  require(o.beta1 >= 0 && o.beta1 < 1, "beta1", "0 to below 1", o.beta1);
  require(o.beta2 >= 0 && o.beta2 < 1, "beta2", "0 to below 1", o.beta2);
  require(o.adam_eps > 0 && std::isfinite(o.adam_eps), "adam_eps", "a positive number", o.adam_eps);
  require(o.weight_decay >= 0 && std::isfinite(o.weight_decay), "weight_decay", "0 or more", o.weight_decay);
  require(o.clip_norm > 0 && std::isfinite(o.clip_norm), "clip_norm", "a positive number", o.clip_norm);
}

/// What a checkpoint must have in common with the run that goes on from it.
Json run_identity(const ModelConfig& config, const TrainingOptions& o, const Dataset& dataset) {
  return {{"config", parse_json(write_config(config), "config").value()},
          {"learning_rate", o.schedule.peak},
          {"min_learning_rate", o.schedule.minimum},
          {"warmup_steps", o.schedule.warmup_steps},
          {"steps", o.schedule.total_steps},
          {"batch_rows", o.batch_rows},
          {"accumulation", o.accumulation},
          {"beta1", o.beta1},
          {"beta2", o.beta2},
          {"adam_eps", o.adam_eps},
          {"weight_decay", o.weight_decay},
          {"clip_norm", o.clip_norm},
          {"seed", o.seed},
          {"data_tokens", dataset.tokens().size()},
          {"data_sha256", dataset.sha256()}};
}

/// What a checkpoint holds of each weight; the prefixes name its tensors.
struct Learned {
  explicit Learned(const ModelConfig& config) : weights(config), first_moments(config), second_moments(config) {}

  void add_to(NamedTensors& tensors) const {
    weights.add_to(tensors, "weights/");
    first_moments.add_to(tensors, "adamw.m/");
    second_moments.add_to(tensors, "adamw.v/");
  }

  /// Throws bad_checkpoint for a tensor that is missing, has another shape, or belongs to no weight.
  void assign(const NamedTensors& tensors, const std::string& where) {
    try {
      weights.assign(tensors, "weights/");
      first_moments.assign(tensors, "adamw.m/");
      second_moments.assign(tensors, "adamw.v/");
    } catch (const Error& error) {
      fail(ErrorCode::bad_checkpoint, str(where, ": ", error.message()));
    }
    VITRINE_CHECK(tensors.size() == 3 * weights.named().size(), ErrorCode::bad_checkpoint, where, ": expected ",
                  3 * weights.named().size(), " tensors, found ", tensors.size());
  }

  Parameters weights;
  Parameters first_moments;
  Parameters second_moments;
};

}  // namespace

struct Trainer::State {
  State(const ModelConfig& model_config, const TrainingOptions& training_options, const Dataset& data,
        ThreadPool& thread_pool)
      : config(model_config),
        options(training_options),
        dataset(data),
        pool(thread_pool),
        identity(run_identity(config, options, data)),
        sampler(data, options.seed),
        learned(config),
        gradients(config),
        packed(config),
        transposes(config),
        rope(config.max_seq_len, config.head_dim, config.rope_theta, config.rope_pairing),
        store(config, options.batch_rows, pool.size()) {
    initialize(learned.weights, config.n_layers, options.seed);
    pack();
  }

  void pack() {
    packed.pack(learned.weights, pool);
    transposes.pack(learned.weights, pool);
  }

  BlockContext context(const TrainingBatch& batch) {
    return {.config = config,
            .rope = rope,
            .sequences = std::span(store.sequences).first(batch.sequences.size()),
            .attention = store.attention,
            .attention_scratch = store.attention_scratch,
            .branch = store.branch.slice(0, batch.tokens.size()),
            .fault = fault.get(),
            .pool = pool};
  }

  void clear_gradients() { std::fill_n(gradients.all().data(), gradients.all().size(), 0.0f); }
  double forward(const TrainingBatch& batch);
  void check_rows(const TrainingBatch& batch) const;
  void propagate_back(const TrainingBatch& batch);
  double accumulate(const TrainingBatch& batch, float scale);
  double gradient_norm() const;
  void update(double learning_rate, float gradient_scale);
  [[noreturn]] void report_not_finite(double loss) const;

  ModelConfig config;
  TrainingOptions options;
  const Dataset& dataset;
  ThreadPool& pool;
  Json identity;
  BatchSampler sampler;
  Learned learned;
  Parameters gradients;
  PackedWeights packed;
  PackedTransposes transposes;
  RopeTable rope;
  ActivationStore store;
  std::unique_ptr<InjectedFault> fault;  // none, unless a test or a detector asked for one
  std::vector<TrainingBatch> batches;
  std::vector<double> losses;
  std::uint64_t steps_done = 0;
};

/// The sum of the losses of a batch; leaves every activation in the store, the logits included.
double Trainer::State::forward(const TrainingBatch& batch) {
  const std::size_t rows = batch.tokens.size();
  store.lay_out(batch);
  embedding_forward(batch.tokens, packed.embedding(), store.blocks.front().x.slice(0, rows));
  const BlockContext ctx = context(batch);
  for (std::size_t layer = 0; layer < config.n_layers; ++layer) {
    block_forward(ctx, packed.blocks()[layer], 0, store.blocks[layer].first_rows(rows));
  }
  const View<float, 2> normed = store.normed.slice(0, rows), logits = store.logits.slice(0, rows);
  rms_norm_forward(store.blocks.back().x_out.slice(0, rows), packed.final_norm(), config.norm_eps, normed,
                   store.inv_rms);
  linear_forward(normed, packed.head(), logits, pool);
  losses.resize(rows);
  cross_entropy_forward(logits, batch.targets, losses, pool);
  double sum = 0;
  for (const double loss : losses) sum += loss;
  return sum;
}

/// Adds the weights' gradients to what store.logits holds, the gradient of the logits, from the head down to the
/// embedding; leaves that of the embedded inputs in store.d_x.
void Trainer::State::propagate_back(const TrainingBatch& batch) {
  const std::size_t rows = batch.tokens.size();
  const View<float, 2> logits = store.logits.slice(0, rows), d_x = store.d_x.slice(0, rows);
  const BlockGradients scratch = store.gradients.first_rows(rows);
  linear_backward_weight(store.normed.slice(0, rows), logits, gradients.head(), scratch.packed.data(), pool);
  linear_backward_input(logits, transposes.head, scratch.d_normed, pool);
  std::fill_n(d_x.data(), d_x.size(), 0.0f);
  rms_norm_backward(store.blocks.back().x_out.slice(0, rows), packed.final_norm(), store.inv_rms.slice(0, rows),
                    scratch.d_normed, d_x, gradients.final_norm(), pool);
  const BlockContext ctx = context(batch);
  for (std::size_t layer = config.n_layers; layer-- > 0;) {
    block_backward(ctx, packed.blocks()[layer], transposes.blocks[layer], store.blocks[layer].first_rows(rows), scratch,
                   d_x, gradients.blocks()[layer]);
  }
  embedding_backward(batch.tokens, d_x, gradients.embedding());
}

double Trainer::State::accumulate(const TrainingBatch& batch, float scale) {
  const double loss = forward(batch);
  const View<float, 2> logits = store.logits.slice(0, batch.tokens.size());
  cross_entropy_backward(logits, batch.targets, scale, logits, pool);
  propagate_back(batch);
  return loss;
}

void Trainer::State::check_rows(const TrainingBatch& batch) const {
  VITRINE_CHECK(!batch.tokens.empty() && batch.tokens.size() <= options.batch_rows, ErrorCode::invalid_option,
                "batch: expected 1 to ", options.batch_rows, " rows, found ", batch.tokens.size());
}

/// The square root of the sum over all weights, tensor after tensor.
double Trainer::State::gradient_norm() const {
  double sum = 0;
  for (const NamedParameter& gradient : gradients.named()) {
    sum += static_cast<double>(kernels::sum_of_squares(gradient.values.data(), gradient.values.size()));
  }
  return std::sqrt(sum);
}

void Trainer::State::update(double learning_rate, float gradient_scale) {
  const double t = static_cast<double>(steps_done + 1);
  kernels::AdamWStep step{.learning_rate = static_cast<float>(learning_rate),
                          .beta1 = static_cast<float>(options.beta1),
                          .beta2 = static_cast<float>(options.beta2),
                          .eps = static_cast<float>(options.adam_eps),
                          .weight_decay = 0.0f,
                          .bias_correction1 = static_cast<float>(1.0 - kernels::pow_double(options.beta1, t)),
                          .bias_correction2 = static_cast<float>(1.0 - kernels::pow_double(options.beta2, t)),
                          .grad_scale = gradient_scale};
  for (std::size_t i = 0; i < learned.weights.named().size(); ++i) {
    const NamedParameter& weight = learned.weights.named()[i];
    step.weight_decay = weight.shape.size() > 1 ? static_cast<float>(options.weight_decay) : 0.0f;
    pool.run(weight.values.size(), [&](std::size_t begin, std::size_t end, std::size_t) {
      kernels::adamw_update(weight.values.data() + begin, gradients.named()[i].values.data() + begin,
                            learned.first_moments.named()[i].values.data() + begin,
                            learned.second_moments.named()[i].values.data() + begin, end - begin, step);
    });
  }
}

void Trainer::State::report_not_finite(double loss) const {
  for (const auto& [kind, parameters] : {std::pair{"weight", &learned.weights}, std::pair{"gradient", &gradients}}) {
    for (const NamedParameter& p : parameters->named()) {
      VITRINE_CHECK(kernels::all_finite(p.values.data(), p.values.size()), ErrorCode::not_finite, "step ", steps_done,
                    ": ", kind, " ", p.name, ": expected finite numbers, found NaN or infinity");
    }
  }
  fail(ErrorCode::not_finite, str("step ", steps_done, ": loss: expected a finite number, found ", loss));
}

Trainer::Trainer(const ModelConfig& config, const TrainingOptions& options, const Dataset& dataset, ThreadPool& pool) {
  validate(config);
  check_options(options);
  const auto past_vocabulary = [&](TokenId token) {
    return token < 0 || static_cast<std::size_t>(token) >= config.vocab_size;
  };
  for (const std::span<const TokenId> ids : {dataset.tokens(), dataset.targets()}) {
    const auto bad = std::find_if(ids.begin(), ids.end(), past_vocabulary);
    VITRINE_CHECK(bad == ids.end(), ErrorCode::invalid_token, "training data: expected token ids below ",
                  config.vocab_size, ", found ", *bad);
  }
  require(dataset.max_seq_len() <= config.max_seq_len, "data", "runs no longer than the context",
          static_cast<double>(dataset.max_seq_len()));
  VITRINE_CHECK(options.batch_rows >= dataset.max_seq_len(), ErrorCode::invalid_option,
                "batch_rows: expected at least the context length ", dataset.max_seq_len(), ", found ",
                options.batch_rows);
  state_ = std::make_unique<State>(config, options, dataset, pool);
}

Trainer::~Trainer() = default;

std::uint64_t Trainer::steps_done() const { return state_->steps_done; }
NamedTensors Trainer::weights() const { return state_->learned.weights.to_tensors(); }
NamedTensors Trainer::gradients() const { return state_->gradients.to_tensors(); }

StepReport Trainer::step() {
  State& s = *state_;
  StepReport report{.step = s.steps_done, .learning_rate = s.options.schedule.at(s.steps_done)};
  const SamplerState before = s.sampler.state();
  s.batches.resize(s.options.accumulation);
  for (TrainingBatch& batch : s.batches) {
    s.sampler.next(s.options.batch_rows, batch);
    report.rows += batch.tokens.size();
  }
  s.clear_gradients();
  const float scale = static_cast<float>(1.0 / static_cast<double>(report.rows));
  for (const TrainingBatch& batch : s.batches) report.loss += s.accumulate(batch, scale);
  report.loss /= static_cast<double>(report.rows);
  report.gradient_norm = s.gradient_norm();
  if (!std::isfinite(report.loss) || !std::isfinite(report.gradient_norm)) {
    s.sampler.restore(before);
    s.report_not_finite(report.loss);
  }
  const double clip = std::min(1.0, s.options.clip_norm / report.gradient_norm);
  s.update(report.learning_rate, report.gradient_norm > 0 ? static_cast<float>(clip) : 1.0f);
  s.pack();
  ++s.steps_done;
  report.epoch = s.sampler.state().epoch;
  return report;
}

double Trainer::loss_and_gradients(const TrainingBatch& batch) {
  state_->check_rows(batch);
  state_->clear_gradients();
  const double rows = static_cast<double>(batch.tokens.size());
  return state_->accumulate(batch, static_cast<float>(1.0 / rows)) / rows;
}

std::vector<float> Trainer::input_gradients(const TrainingBatch& batch, std::size_t row) {
  State& s = *state_;
  s.check_rows(batch);
  VITRINE_ASSERT(row < batch.tokens.size());
  s.clear_gradients();
  s.forward(batch);
  const View<float, 2> logits = s.store.logits.slice(0, batch.tokens.size());
  cross_entropy_backward(logits, batch.targets, 1.0f, logits, s.pool);
  for (std::size_t n = 0; n < batch.tokens.size(); ++n) {
    if (n != row) std::fill_n(logits[n].data(), s.config.vocab_size, 0.0f);
  }
  s.propagate_back(batch);
  const float* d_x = s.store.d_x.data();
  return {d_x, d_x + batch.tokens.size() * s.config.d_model};
}

void Trainer::inject(Fault fault) {
  State& s = *state_;
  s.fault = fault == Fault::causal_mask_dropped ? std::make_unique<InjectedFault>(fault, s.config) : nullptr;
}

void Trainer::save(const std::string& path) const {
  const State& s = *state_;
  CheckpointFile file;
  s.learned.add_to(file.tensors);
  file.state = Json{{"run", s.identity},
                    {"steps_done", s.steps_done},
                    {"epoch", s.sampler.state().epoch},
                    {"next_run", s.sampler.state().next_run}};
  write_checkpoint(path, file);
}

void Trainer::load(const std::string& path) {
  State& s = *state_;
  const CheckpointFile file = read_checkpoint(path);
  JsonObjectReader reader(file.state, path, ErrorCode::bad_checkpoint);
  const Json& found = reader.value("run");
  for (const auto& [key, value] : s.identity.items()) {
    VITRINE_CHECK(found.contains(key) && found[key] == value, ErrorCode::bad_checkpoint, path, ": ", key, ": expected ",
                  json_text(value), " as in this run, found ",
                  found.contains(key) ? in_quotes(json_text(found[key])) : "nothing");
  }
  const std::uint64_t steps_done = reader.unsigned_integer("steps_done", 0, s.options.schedule.total_steps);
  const SamplerState sampler{.epoch = reader.unsigned_integer("epoch", 0, UINT32_MAX),
                             .next_run = reader.unsigned_integer("next_run", 0, UINT32_MAX)};
  reader.finish();
  // Whatever there is to refuse is refused before the first number of this run changes.
  Learned learned(s.config);
  learned.assign(file.tensors, path);
  s.sampler.restore(sampler);
  s.learned = std::move(learned);
  s.steps_done = steps_done;
  s.pack();
}

}  // namespace vitrine
