#include "training/trainer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "io/checkpoint_file.hpp"
#include "support/expect_error.hpp"
#include "support/reference_transformer.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny_model.hpp"

namespace vitrine {
namespace {

using Documents = std::vector<std::vector<TokenId>>;

Documents random_documents(const ModelConfig& config, std::size_t count) {
  Documents documents;
  for (std::size_t i = 0; i < count; ++i) documents.push_back(test::random_tokens(config, 3 + i % 11, i));
  return documents;
}

TrainingOptions tiny_options() {
  TrainingOptions options;
  options.schedule = {.peak = 1e-2, .minimum = 1e-3, .warmup_steps = 3, .total_steps = 20};
  options.batch_rows = 80;
  options.seed = 7;
  return options;
}

bool same(const NamedTensors& a, const NamedTensors& b) {
  if (a.size() != b.size()) return false;
  return std::ranges::all_of(a, [&](const auto& entry) { return b.require(entry.first).data == entry.second.data; });
}

/// Larger weights than a fresh run has, so that every path of the gradient carries something.
void load_weights(Trainer& trainer, const NamedTensors& weights, const test::TemporaryFolder& folder) {
  const std::string path = folder / "weights";
  trainer.save(path);
  CheckpointFile file = read_checkpoint(path);
  for (const auto& [name, tensor] : weights) {
    file.tensors.take("weights/" + name);
    file.tensors.insert({"weights/" + name, tensor.shape, tensor.data});
  }
  write_checkpoint(path, file);
  trainer.load(path);
}

TEST_CASE("every gradient agrees with finite differences of the double reference") {
  for (int variant = 0; variant < 3; ++variant) {
    ModelConfig config = test::tiny_config();
    config.d_model = 10;
    config.d_ff = 7;
    config.vocab_size = 11;
    config.head_dim = 4;
    config.tied_head = variant != 1;
    if (variant == 1) config.rope_pairing = kernels::RopePairing::adjacent;
    if (variant == 2) config.n_kv_heads = 6;
    const Dataset dataset(random_documents(config, 8), {.begin = 0, .end = 0}, config.max_seq_len);
    ThreadPool pool;
    Trainer trainer(config, tiny_options(), dataset, pool);
    const test::TemporaryFolder folder;
    const NamedTensors weights = test::random_weights(config, 20, 0.7f);
    load_weights(trainer, weights, folder);

    TrainingBatch batch;
    BatchSampler(dataset, 1).next(80, batch);
    REQUIRE(batch.sequences.size() > 1);
    const double loss = trainer.loss_and_gradients(batch);
    const NamedTensors gradients = trainer.gradients();
    test::ReferenceTransformer reference(config, weights);
    const auto reference_loss = [&] {
      double sum = 0;
      for (const Run& sequence : batch.sequences) {
        sum += reference.loss(std::span(batch.tokens).subspan(sequence.begin, sequence.length),
                              std::span(batch.targets).subspan(sequence.begin, sequence.length));
      }
      return sum / static_cast<double>(batch.tokens.size());
    };
    CHECK(loss == doctest::Approx(reference_loss()).epsilon(1e-6));

    for (const auto& [name, gradient] : gradients) {
      double largest = 0;
      for (const float value : gradient.data) largest = std::max(largest, std::abs(static_cast<double>(value)));
      CHECK(largest > 0);
      const std::size_t step = std::max<std::size_t>(1, gradient.data.size() / 12);
      for (std::size_t i = 0; i < gradient.data.size(); i += step) {
        double& weight = reference.weight(name)[i];
        const double before = weight, h = 1e-5;
        weight = before + h;
        const double above = reference_loss();
        weight = before - h;
        const double below = reference_loss();
        weight = before;
        const double expected = (above - below) / (2 * h);
        // The difference itself is good to h^2 + 1e-16 / h = 1e-10; the float backward pass rounds sums of up to 80
        // rows through about 30 stages: 80 * 30 eps = 3e-4 of the largest entry is a bound, 1e-4 of it leaves room.
        INFO(name, "[", i, "], variant ", variant);
        CHECK(std::abs(static_cast<double>(gradient.data[i]) - expected) < 1e-4 * largest + 1e-9);
      }
    }
  }
}

TEST_CASE("the input gradients of all rows add up to the gradient of the embedding") {
  ModelConfig config = test::tiny_config();
  config.tied_head = false;  // else the head adds to it
  const Dataset dataset(random_documents(config, 4), {.begin = 0, .end = 0}, config.max_seq_len);
  ThreadPool pool;
  Trainer trainer(config, tiny_options(), dataset, pool);
  const test::TemporaryFolder folder;
  load_weights(trainer, test::random_weights(config, 20, 0.7f), folder);
  TrainingBatch batch;
  BatchSampler(dataset, 1).next(80, batch);
  const std::size_t rows = batch.tokens.size(), width = config.d_model;
  std::vector<double> sum(config.vocab_size * width, 0.0);
  for (std::size_t t = 0; t < rows; ++t) {
    const std::vector<float> gradients = trainer.input_gradients(batch, t);
    REQUIRE(gradients.size() == rows * width);
    for (std::size_t s = 0; s < rows; ++s) {
      for (std::size_t c = 0; c < width; ++c) {
        sum[static_cast<std::size_t>(batch.tokens[s]) * width + c] += static_cast<double>(gradients[s * width + c]);
      }
    }
  }
  trainer.loss_and_gradients(batch);
  const NamedTensors gradients = trainer.gradients();
  const std::vector<float>& expected = gradients.require("model.embed_tokens.weight").data;
  double largest = 0;
  for (const float value : expected) largest = std::max(largest, std::abs(static_cast<double>(value)));
  CHECK(largest > 0);
  // Both round through the same 30 stages, one row at a time here and all at once there: as above.
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(std::abs(sum[i] / static_cast<double>(rows) - static_cast<double>(expected[i])) < 1e-4 * largest);
  }
}

TEST_CASE("a dropped mask changes loss and gradients, and nothing once it is taken away") {
  const ModelConfig config = test::tiny_config();
  const Dataset dataset(random_documents(config, 30), {.begin = 0, .end = 0}, config.max_seq_len);
  ThreadPool pool;
  Trainer healthy(config, tiny_options(), dataset, pool), broken(config, tiny_options(), dataset, pool);
  TrainingBatch batch;
  BatchSampler(dataset, 1).next(80, batch);
  const double loss = healthy.loss_and_gradients(batch);
  broken.inject(Fault::causal_mask_dropped);
  CHECK(broken.loss_and_gradients(batch) != loss);
  CHECK_FALSE(same(broken.gradients(), healthy.gradients()));
  broken.inject(Fault::none);
  CHECK(broken.loss_and_gradients(batch) == loss);
  CHECK(same(broken.gradients(), healthy.gradients()));
  for (int i = 0; i < 3; ++i) CHECK(broken.step().loss == healthy.step().loss);
  CHECK(same(broken.weights(), healthy.weights()));
}

TEST_CASE("a tiny batch overfits to almost no loss") {
  ModelConfig config = test::tiny_config();
  config.d_model = 32;
  Documents documents;
  for (std::size_t i = 0; i < 4; ++i) documents.push_back(test::random_tokens(config, 12, i));
  for (std::size_t i = 0; i < 4; ++i) documents[i][0] = static_cast<TokenId>(i);  // the first token tells which it is
  const Dataset dataset(documents, {.begin = -1, .end = 36}, config.max_seq_len);
  TrainingOptions options = tiny_options();
  options.schedule = {.peak = 1e-2, .minimum = 1e-3, .warmup_steps = 10, .total_steps = 150};
  options.weight_decay = 0;
  ThreadPool pool;
  Trainer trainer(config, options, dataset, pool);
  const double first = trainer.step().loss;
  double last = first;
  while (trainer.steps_done() < 150) last = trainer.step().loss;
  CHECK(first > 3.0);
  CHECK(last < 0.01);
}

TEST_CASE("the same seed gives the same bits at any number of threads, and another seed does not") {
  const ModelConfig config = test::tiny_config();
  const Dataset dataset(random_documents(config, 60), {.begin = 0, .end = 0}, config.max_seq_len);
  TrainingOptions options = tiny_options();
  options.accumulation = 2;
  const auto weights_after = [&](std::size_t threads, std::uint64_t seed) {
    ThreadPool pool(threads);
    TrainingOptions seeded = options;
    seeded.seed = seed;
    Trainer trainer(config, seeded, dataset, pool);
    for (int i = 0; i < 5; ++i) trainer.step();
    return trainer.weights();
  };
  const NamedTensors one = weights_after(1, 7);
  CHECK_FALSE(same(one, weights_after(1, 8)));
#ifndef __EMSCRIPTEN__
  CHECK(same(one, weights_after(2, 7)));
  CHECK(same(one, weights_after(3, 7)));
#endif
}

TEST_CASE("a run that is saved and resumed goes on with the same bits") {
  const ModelConfig config = test::tiny_config();
  const Dataset dataset(random_documents(config, 30), {.begin = 0, .end = 0}, config.max_seq_len);
  ThreadPool pool;
  const test::TemporaryFolder folder;
  const std::string path = folder / "checkpoint";
  Trainer whole(config, tiny_options(), dataset, pool), first(config, tiny_options(), dataset, pool);
  for (int i = 0; i < 6; ++i) first.step();
  first.save(path);
  Trainer second(config, tiny_options(), dataset, pool);
  second.load(path);
  CHECK(second.steps_done() == 6);
  std::vector<double> losses;
  for (int i = 0; i < 12; ++i) losses.push_back(whole.step().loss);
  for (std::size_t i = 6; i < 12; ++i) CHECK(second.step().loss == losses[i]);
  CHECK(same(whole.weights(), second.weights()));
}

TEST_CASE("a checkpoint of another run is refused by the option that differs, and changes nothing") {
  const ModelConfig config = test::tiny_config();
  const Dataset dataset(random_documents(config, 30), {.begin = 0, .end = 0}, config.max_seq_len);
  ThreadPool pool;
  const test::TemporaryFolder folder;
  const std::string path = folder / "checkpoint";
  TrainingOptions options = tiny_options();
  Trainer(config, options, dataset, pool).save(path);
  options.seed = 8;
  Trainer other(config, options, dataset, pool);
  const NamedTensors before = other.weights();
  CHECK_ERROR(ErrorCode::bad_checkpoint, "seed: expected 8 as in this run, found \"7\"", other.load(path));
  CHECK(same(before, other.weights()));
}

TEST_CASE("a checkpoint of other data of the same size is refused") {
  const ModelConfig config = test::tiny_config();
  Documents documents = random_documents(config, 30);
  ThreadPool pool;
  const test::TemporaryFolder folder;
  const std::string path = folder / "checkpoint";
  const Dataset dataset(documents, {.begin = 0, .end = 0}, config.max_seq_len);
  Trainer(config, tiny_options(), dataset, pool).save(path);
  documents[17][1] = documents[17][1] == 5 ? 6 : 5;
  const Dataset edited(documents, {.begin = 0, .end = 0}, config.max_seq_len);
  REQUIRE(edited.tokens().size() == dataset.tokens().size());
  Trainer other(config, tiny_options(), edited, pool);
  CHECK_ERROR(ErrorCode::bad_checkpoint, "data_sha256: expected ", other.load(path));
}

TEST_CASE("a checkpoint with a tensor too few, too many or of another shape is refused, and changes nothing") {
  const ModelConfig config = test::tiny_config();
  const Dataset dataset(random_documents(config, 30), {.begin = 0, .end = 0}, config.max_seq_len);
  ThreadPool pool;
  const test::TemporaryFolder folder;
  const std::string whole = folder / "whole", broken = folder / "broken";
  Trainer first(config, tiny_options(), dataset, pool);
  for (int i = 0; i < 2; ++i) first.step();
  first.save(whole);
  Trainer trainer(config, tiny_options(), dataset, pool), untouched(config, tiny_options(), dataset, pool);
  const auto refused = [&](const char* words, auto change) {
    CheckpointFile file = read_checkpoint(whole);
    change(file.tensors);
    write_checkpoint(broken, file);
    CHECK_ERROR(ErrorCode::bad_checkpoint, words, trainer.load(broken));
    CHECK(trainer.steps_done() == 0);
    CHECK(same(trainer.weights(), untouched.weights()));
  };
  refused("adamw.v/model.norm.weight", [](NamedTensors& tensors) { tensors.take("adamw.v/model.norm.weight"); });
  refused("adamw.m/model.norm.weight", [](NamedTensors& tensors) {
    Tensor tensor = tensors.take("adamw.m/model.norm.weight");
    tensor.shape.insert(tensor.shape.begin(), 1);
    tensors.insert(std::move(tensor));
  });
  refused(" tensors, found ", [](NamedTensors& tensors) { tensors.insert({"adamw.w/more", {1}, {0.0f}}); });
  CHECK(trainer.step().loss == untouched.step().loss);
  CHECK(same(trainer.weights(), untouched.weights()));
}

TEST_CASE("a number that is not finite stops the run and names its tensor") {
  const ModelConfig config = test::tiny_config();
  const Dataset dataset(random_documents(config, 30), {.begin = 0, .end = 0}, config.max_seq_len);
  ThreadPool pool;
  const test::TemporaryFolder folder;
  Trainer trainer(config, tiny_options(), dataset, pool);
  NamedTensors weights = test::random_weights(config, 1);
  Tensor broken = weights.take("model.layers.1.mlp.down_proj.weight");
  broken.data[5] = std::numeric_limits<float>::quiet_NaN();
  weights.insert(std::move(broken));
  load_weights(trainer, weights, folder);
  CHECK_ERROR(ErrorCode::not_finite, "weight model.layers.1.mlp.down_proj.weight", trainer.step());
  CHECK(trainer.steps_done() == 0);
}

TEST_CASE("options out of range and tokens beyond the vocabulary are refused by name") {
  const ModelConfig config = test::tiny_config();
  const Dataset dataset(random_documents(config, 30), {.begin = 0, .end = 0}, config.max_seq_len);
  ThreadPool pool;
  const auto refused = [&](const char* words, auto change) {
    TrainingOptions options = tiny_options();
    change(options);
    CHECK_ERROR(ErrorCode::invalid_option, words, Trainer(config, options, dataset, pool));
  };
  refused("learning_rate", [](TrainingOptions& o) { o.schedule.peak = 0; });
  refused("learning_rate", [](TrainingOptions& o) { o.schedule.peak = std::numeric_limits<double>::quiet_NaN(); });
  refused("min_learning_rate", [](TrainingOptions& o) { o.schedule.minimum = 1; });
  refused("warmup_steps", [](TrainingOptions& o) { o.schedule.warmup_steps = 21; });
  refused("batch_rows", [](TrainingOptions& o) { o.batch_rows = 39; });
  refused("accumulation", [](TrainingOptions& o) { o.accumulation = 0; });
  refused("beta1", [](TrainingOptions& o) { o.beta1 = 1; });
  refused("beta2", [](TrainingOptions& o) { o.beta2 = -0.1; });
  refused("adam_eps", [](TrainingOptions& o) { o.adam_eps = 0; });
  refused("weight_decay", [](TrainingOptions& o) { o.weight_decay = -1; });
  refused("clip_norm", [](TrainingOptions& o) { o.clip_norm = 0; });
  const Dataset foreign(Documents{{1, 37}}, {}, config.max_seq_len);
  CHECK_ERROR(ErrorCode::invalid_token, "expected token ids below 37, found 37",
              Trainer(config, tiny_options(), foreign, pool));
}

}  // namespace
}  // namespace vitrine
