// `vitrine tokenize`: text to token ids and back, with the tokenizer of a bundle or of a tokenizer.json.
#include <limits>
#include <memory>
#include <optional>

#include "base/check.hpp"
#include "base/utf8.hpp"
#include "cli/command_line.hpp"
#include "cli/strict_options.hpp"
#include "cli/text.hpp"
#include "io/tokenizer_json.hpp"
#include "tokenizer/tokenizer.hpp"

namespace vitrine::cli {
namespace {

struct TokenizeOptions {
  std::string bundle;
  std::string tokenizer;
  std::optional<std::string> text;
  std::string file;
  std::vector<TokenId> decode;
};

Tokenizer read_tokenizer(const TokenizeOptions& options) {
  if (options.tokenizer.empty()) {
    return Tokenizer(read_tokenizer_json(read_bundle_folder(options.bundle).part("tokenizer"), "tokenizer.json"));
  }
  return Tokenizer(read_tokenizer_json(read_text(options.tokenizer), options.tokenizer));
}

int run_tokenize(const TokenizeOptions& options, const CommandLine& line) {
  VITRINE_CHECK(options.bundle.empty() != options.tokenizer.empty(), ErrorCode::invalid_option,
                "tokenize: expected one of --bundle and --tokenizer, found ", options.bundle.empty() ? "none" : "both");
  VITRINE_CHECK(options.text || !options.file.empty() || !options.decode.empty(), ErrorCode::invalid_option,
                "tokenize: expected one of --text, --file and --decode, found none");
  const Tokenizer tokenizer = read_tokenizer(options);
  if (!options.decode.empty()) {
    const std::string text = replace_invalid_utf8(tokenizer.decode(options.decode));
    line.print({{"text", text}, {"ids", options.decode}}, text + "\n");
    return kOk;
  }
  const std::string text = options.text ? *options.text : read_text(options.file);
  const std::vector<TokenId> ids = tokenizer.encode(text);
  Json tokens = Json::array();
  std::string lines;
  for (const TokenId id : ids) {
    const std::string token = replace_invalid_utf8(tokenizer.token_bytes(id));
    lines += str(id, "\t", shown(token), "\n");
    tokens.push_back(token);
  }
  line.print({{"ids", ids}, {"tokens", std::move(tokens)}, {"bytes", text.size()}}, lines);
  return kOk;
}

}  // namespace

void add_tokenize(CLI::App& app, CommandLine& line) {
  auto options = std::make_shared<TokenizeOptions>();
  CLI::App* command =
      add_subcommand(app, line, "tokenize", "Show the tokens of a text, or the text of tokens", options, run_tokenize);
  command->add_option("--bundle", options->bundle, "Folder of a model")->check(path_name());
  command->add_option("--tokenizer", options->tokenizer, "A tokenizer.json")->check(path_name());
  auto* text = command->add_option("--text", options->text, "The text");
  auto* file = command->add_option("--file", options->file, "A file with the text; - is stdin")
                   ->excludes(text)
                   ->check(path_name());
  command->add_option("--decode", options->decode, "Token ids to turn into text")
      ->check(whole_number(0, std::numeric_limits<TokenId>::max()))
      ->excludes(text)
      ->excludes(file);
}

}  // namespace vitrine::cli
