// Trainer: weights, gradients and AdamW state of one run, advanced a step at a time. The same seed gives the same bits
// at any number of threads and after a save and a resume. It reads no text and shows no progress.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/thread_pool.hpp"
#include "model/config.hpp"
#include "model/fault.hpp"
#include "tensor/named_tensors.hpp"
#include "training/dataset.hpp"
#include "training/schedule.hpp"

namespace vitrine {

struct TrainingOptions {
  Schedule schedule;
  std::size_t batch_rows = 2048;  ///< rows of one forward and backward pass, at most
  std::size_t accumulation = 1;   ///< passes whose gradients make one step
  double beta1 = 0.9;
  double beta2 = 0.95;
  double adam_eps = 1e-8;
  double weight_decay = 0.1;  ///< of matrices; norm gains do not decay
  double clip_norm = 1.0;     ///< the gradient is scaled down to this norm, at most
  std::uint64_t seed = 1;
};

struct StepReport {
  std::uint64_t step = 0;    ///< of the step just done, from 0
  std::uint64_t epoch = 0;   ///< of the sampler after it
  std::size_t rows = 0;      ///< tokens predicted
  double loss = 0;           ///< mean cross entropy in nats, before the step
  double gradient_norm = 0;  ///< before clipping
  double learning_rate = 0;
};

class Trainer {
 public:
  /// Random weights from the seed. `dataset` and `pool` must outlive the trainer. Throws invalid_option, naming it.
  Trainer(const ModelConfig& config, const TrainingOptions& options, const Dataset& dataset, ThreadPool& pool);
  ~Trainer();

  /// One step. Throws not_finite, naming the first tensor that is not, with the weights as they were before the step.
  StepReport step();

  std::uint64_t steps_done() const;
  NamedTensors weights() const;

  /// Loss and gradients of one batch, without a step: what step() accumulates. For gradient checks.
  double loss_and_gradients(const TrainingBatch& batch);
  NamedTensors gradients() const;
  /// The gradient of the loss of one row of the batch alone with respect to the embedded input of every row: [N, C].
  std::vector<float> input_gradients(const TrainingBatch& batch, std::size_t row);

  /// Makes forward and backward pass wrong in the same named way from now on; as Transformer::inject. Of the faults,
  /// causal_mask_dropped is one of training; the others do nothing here.
  void inject(Fault fault);

  /// Everything that the next step depends on. load() refuses (bad_checkpoint) what another configuration, another set
  /// of options or other data made, and what lacks a tensor; the run then is as it was.
  void save(const std::string& path) const;
  void load(const std::string& path);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vitrine
