// `vitrine baseline`: counts n-grams over a bundle's tokens, scores them, and writes the file that `eval` and
// `generate` take in the model's place.
#include <memory>

#include "baseline/ngram_file.hpp"
#include "cli/command_line.hpp"
#include "cli/text.hpp"
#include "io/atomic_file.hpp"
#include "session/session_json.hpp"
#include "session/text_baseline.hpp"

namespace vitrine::cli {
namespace {

struct BaselineOptions {
  std::string bundle;
  std::vector<std::string> data;
  std::string held_out;
  NgramOptions ngrams;
  std::string out;
};

int run_baseline(const BaselineOptions& options, const CommandLine& line) {
  Session session({.threads = 1, .max_rows = 1, .prefill_chunk = 64});
  load_session(session, {options.bundle, 1});
  std::string text;
  for (const std::string& path : options.data) text += read_text(path);
  const NgramFile file = make_baseline(session.model(), text, options.ngrams);
  const TextBaseline baseline(session.model(), file);
  if (!options.out.empty()) write_file_atomically(options.out, ngram_file_bytes(file));

  Json json = {{"order", options.ngrams.order}, {"ngrams", Json::array()}, {"discounts", Json::array()}};
  for (std::size_t k = 1; k <= options.ngrams.order; ++k) {
    json["ngrams"].push_back(baseline.model().ngram_count(k));
    json["discounts"].push_back(baseline.model().discount(k));
  }
  json["memory"] = baseline.model().bytes();
  json["held_out"] = nullptr;
  if (!options.held_out.empty()) json["held_out"] = evaluation_json(baseline.evaluate(read_text(options.held_out)));
  line.print(json, str(options.ngrams.order, "-gram of ", baseline.model().bytes(), " bytes; held-out ",
                       json_text(json["held_out"]), options.out.empty() ? "" : "; wrote " + options.out, "\n"));
  return kOk;
}

}  // namespace

void add_baseline(CLI::App& app, CommandLine& line) {
  auto options = std::make_shared<BaselineOptions>();
  CLI::App* command = add_subcommand(app, line, "baseline", "Count n-grams: what a model has to beat, and its stand-in",
                                     options, run_baseline);
  command->add_option("--bundle", options->bundle, "Folder of the model whose tokenizer cuts the text")->required();
  command->add_option("--data", options->data, "Text files to count")->required();
  command->add_option("--held-out", options->held_out, "A text file to be scored, never counted");
  command->add_option("--order", options->ngrams.order, "Tokens of the longest n-gram, 1 to 32")->capture_default_str();
  command->add_option("--discount", options->ngrams.discount, "Taken from every count, up to 1; 0: estimated")
      ->capture_default_str();
  command->add_option("--out", options->out, "The file to write");
}

}  // namespace vitrine::cli
