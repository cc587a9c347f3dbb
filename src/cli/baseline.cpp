// `vitrine baseline`: counts n-grams over a bundle's tokens, scores them, and writes the file that `eval` and
// `generate` take in the model's place.
#include <algorithm>
#include <iterator>
#include <memory>

#include "baseline/ngram_file.hpp"
#include "cli/command_line.hpp"
#include "cli/strict_options.hpp"
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

/// No document reaches from one file into the next.
NgramFile read_documents(const Session& session, const BaselineOptions& options) {
  NgramFile all = make_baseline(session.model(), "", options.ngrams);
  for (const std::string& path : options.data) {
    NgramFile file = make_baseline(session.model(), read_corpus(path), options.ngrams);
    std::move(file.documents.begin(), file.documents.end(), std::back_inserter(all.documents));
  }
  return all;
}

int run_baseline(const BaselineOptions& options, const CommandLine& line) {
  Session session({.threads = 1, .max_rows = 1, .prefill_chunk = 64});
  load_session(session, {options.bundle, 1});
  const std::string held_out = options.held_out.empty() ? "" : read_corpus(options.held_out);
  if (!options.out.empty()) require_file_place(options.out);
  const NgramFile file = read_documents(session, options);
  const TextBaseline baseline(session.model(), file);
  if (!options.out.empty()) write_file_atomically(options.out, ngram_file_bytes(file));

  Json json = {{"order", options.ngrams.order}, {"ngrams", Json::array()}, {"discounts", Json::array()}};
  for (std::size_t k = 1; k <= options.ngrams.order; ++k) {
    json["ngrams"].push_back(baseline.model().ngram_count(k));
    json["discounts"].push_back(baseline.model().discount(k));
  }
  json["memory"] = baseline.model().bytes();
  json["held_out"] = nullptr;
  if (!options.held_out.empty()) json["held_out"] = evaluation_json(baseline.evaluate(held_out));
  line.print(json, str(options.ngrams.order, "-gram of ", baseline.model().bytes(), " bytes; held-out ",
                       json_text(json["held_out"]), options.out.empty() ? "" : "; wrote " + options.out, "\n"));
  return kOk;
}

}  // namespace

void add_baseline(CLI::App& app, CommandLine& line) {
  auto options = std::make_shared<BaselineOptions>();
  CLI::App* command = add_subcommand(app, line, "baseline", "Count n-grams: what a model has to beat, and its stand-in",
                                     options, run_baseline);
  command->add_option("--bundle", options->bundle, "Folder of the model whose tokenizer cuts the text")
      ->required()
      ->check(path_name());
  command->add_option("--data", options->data, "Text files to count; - is stdin")->required()->check(path_name());
  command->add_option("--held-out", options->held_out, "A text file to be scored, never counted")->check(path_name());
  command->add_option("--order", options->ngrams.order, "Tokens of the longest n-gram, 1 to 32")->capture_default_str();
  command->add_option("--discount", options->ngrams.discount, "Taken from every count, up to 1; 0: estimated")
      ->capture_default_str();
  command->add_option("--out", options->out, "The file to write")->check(path_name());
}

}  // namespace vitrine::cli
