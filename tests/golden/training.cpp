// Short training runs: the tokenizer, the loss curve, a checkpoint's bytes and the weights, at any number of threads,
// and of a run that lost its last steps and went on from its checkpoint.
#include <filesystem>
#include <string>
#include <vector>

#include "base/check.hpp"
#include "baseline/ngram_model.hpp"
#include "hashes.hpp"
#include "io/tokenizer_json.hpp"
#include "session/loaded_model.hpp"
#include "sets.hpp"
#include "support/temporary_folder.hpp"
#include "tokenizer/bpe_trainer.hpp"
#include "training/trainer.hpp"

namespace vitrine::golden {
namespace {

constexpr std::string_view kMark = "<|endoftext|>";

/// Lines that look like commands; the same on every machine.
std::string corpus() {
  constexpr const char* kTools[] = {"git", "docker", "npm", "cargo", "kubectl"};
  constexpr const char* kVerbs[] = {"commit", "run", "build", "push", "install", "status", "log"};
  constexpr const char* kFlags[] = {"-m <message>", "--all", "-v", "--force", "--help", "-p <port>"};
  std::string text;
  for (unsigned i = 0; i < 160; ++i) {
    text += str(kTools[i % 5], " ", kVerbs[i * 3 % 7], " ", kFlags[i * 5 % 6], "  # ", kVerbs[i * 3 % 7], " number ", i,
                i % 9 == 0 ? " \xC3\xA9\xE2\x82\xAC\n" : "\n");
  }
  return text;
}

/// A run: what is trained, and how.
struct Run {
  const char* name;
  ModelConfig config;
  TrainingOptions options;
};

std::vector<Run> runs(const Tokenizer& tokenizer) {
  ModelConfig config;
  config.vocab_size = tokenizer.vocab_size();
  config.d_model = 24;
  config.n_layers = 2;
  config.n_heads = 4;
  config.n_kv_heads = 2;
  config.head_dim = 6;
  config.d_ff = 40;
  config.max_seq_len = 64;
  config.bos_token = config.eos_token = *tokenizer.special(kMark);
  TrainingOptions options;
  options.schedule = {.peak = 1e-2, .minimum = 1e-3, .warmup_steps = 3, .total_steps = 24};
  options.batch_rows = 150;
  options.seed = 20261129;

  ModelConfig other = config;
  other.d_model = 27;
  other.n_heads = other.n_kv_heads = 3;
  other.head_dim = 10;
  other.d_ff = 31;
  other.tied_head = false;
  other.rope_pairing = kernels::RopePairing::adjacent;
  TrainingOptions accumulated = options;
  accumulated.accumulation = 2;
  accumulated.batch_rows = 70;
  accumulated.weight_decay = 0.0;
  return {{"grouped heads, tied head", config, options},
          {"a head each, head not tied, two passes a step", other, accumulated}};
}

/// What a run made so far, as ways of the three entries of its set.
struct Made {
  Ways curve, checkpoint, weights;
};

void train(Trainer& trainer, std::uint64_t steps, BitHash& curve) {
  while (trainer.steps_done() < steps) {
    const StepReport report = trainer.step();
    curve.add(report.loss).add(report.gradient_norm).add(report.learning_rate);
  }
}

std::string weights_hash(const NamedTensors& weights) {
  BitHash hash;
  for (const auto& [name, tensor] : weights) hash.add(std::string_view(name)).add(tensor.data);
  return hash.hex();
}

/// Half of the steps, a checkpoint, and some steps more; and, resumed, the rest by another trainer that knows the
/// checkpoint alone, as after the end of a process: the steps after the checkpoint are lost and done again.
NamedTensors train_once(const Run& run, const Dataset& dataset, std::size_t threads, bool resumed, Made& made) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "checkpoint";
  const std::string way = str(threads, threads == 1 ? " thread" : " threads", resumed ? ", resumed" : "");
  const std::uint64_t steps = run.options.schedule.total_steps;
  ThreadPool pool(threads);
  BitHash curve;
  NamedTensors weights;
  {
    Trainer trainer(run.config, run.options, dataset, pool);
    train(trainer, steps / 2, curve);
    trainer.save(path);
    made.checkpoint.emplace_back(way, sha256_hex(read_file(path, std::uint64_t{1} << 30)));
    BitHash lost;
    train(trainer, resumed ? steps / 2 + 3 : steps, resumed ? lost : curve);
    weights = trainer.weights();
  }
  if (resumed) {
    Trainer trainer(run.config, run.options, dataset, pool);
    trainer.load(path);
    train(trainer, steps, curve);
    weights = trainer.weights();
  }
  made.curve.emplace_back(way, curve.hex());
  made.weights.emplace_back(way, weights_hash(weights));
  return weights;
}

/// Every probability after every token of some documents.
std::string baseline_hash(const std::vector<std::vector<TokenId>>& documents, std::size_t vocab_size) {
  const NgramModel model = NgramModel::train(documents, {.order = 4, .vocab_size = vocab_size});
  BitHash hash;
  std::vector<double> probabilities(vocab_size);
  for (std::size_t i = 0; i < documents.size(); i += 16) {
    for (std::size_t n = 0; n <= documents[i].size(); ++n) {
      model.probabilities(std::span(documents[i]).first(n), probabilities);
      hash.add(probabilities);
    }
    hash.add(model.loss(documents[i]));
  }
  return hash.hex();
}

Bundle make_trained_bundle(const Tokenizer& tokenizer, const ModelConfig& config, const NamedTensors& weights) {
  BundleContent content;
  content.name = "golden";
  content.model_version = "1.0.0";
  content.config = config;
  content.weights = weights;
  content.tokenizer = tokenizer.data();
  content.prompt_template = {std::string(kMark), DocumentUnit::line};
  content.policy.max_new_tokens = 32;
  content.policy.stop_tokens = {config.eos_token, *tokenizer.find("\n")};
  content.self_test_tokens = {config.bos_token, 17, 42};
  return make_bundle(content);
}

}  // namespace

Json training_hashes(Bundle& bundle) {
  const std::string text = corpus();
  const Tokenizer tokenizer = train_bpe(text, {.vocab_size = 320, .special_tokens = {std::string(kMark)}});
  const TokenId mark = *tokenizer.special(kMark);
  Json json = Json::object();
  json["tokenizer"] = sha256_hex(write_tokenizer_json(tokenizer.data()));
  std::vector<std::vector<TokenId>> documents;
  for (const std::string_view line : split_documents(text, DocumentUnit::line)) {
    documents.push_back(tokenizer.encode(line));
  }
  json["n-gram baseline"] = baseline_hash(documents, tokenizer.vocab_size());
  for (const Run& run : runs(tokenizer)) {
    const Dataset dataset(documents, {mark, mark}, run.config.max_seq_len);
    Made made;
    const NamedTensors weights = train_once(run, dataset, 1, false, made);
    for (const std::size_t threads : thread_counts()) {
      if (threads > 1) train_once(run, dataset, threads, false, made);
      train_once(run, dataset, threads, true, made);
    }
    json[str(run.name, ": loss curve")] = agreed(made.curve);
    json[str(run.name, ": checkpoint")] = agreed(made.checkpoint);
    json[str(run.name, ": weights")] = agreed(made.weights);
    if (bundle.bytes_by_part.empty()) bundle = make_trained_bundle(tokenizer, run.config, weights);
  }
  return json;
}

}  // namespace vitrine::golden
