// `vitrine inspect`: what is in a bundle, once it has been verified, loaded and tested.
#include <memory>

#include "base/check.hpp"
#include "cli/command_line.hpp"
#include "cli/text.hpp"
#include "session/session_json.hpp"

namespace vitrine::cli {
namespace {

/// For a terminal, which must not obey what a manifest says.
std::string ascii_json(const Json& json) { return json.dump(-1, ' ', true); }

std::string describe_text(const Session& session) {
  const LoadedModel& model = session.model();
  const ModelConfig& c = model.transformer.config();
  std::string text = str(shown(model.manifest.name), " ", shown(model.manifest.model_version), "\n");
  text += str("  ", c.parameter_count(), " parameters: ", c.n_layers, " layers, width ", c.d_model, ", ", c.n_heads,
              " heads (", c.n_kv_heads, " for keys and values), ", c.d_ff, " in the MLP\n");
  text += str("  vocabulary ", c.vocab_size, ", context ", c.max_seq_len, "\n");
  text += str("  weights ", model.transformer.weight_bytes(), " bytes in memory, workspace ",
              model.transformer.workspace_bytes(), " bytes\n");
  for (const ManifestPart& part : model.manifest.parts) {
    text += str("  ", part.name, ": ", part.file, ", ", part.bytes, " bytes, sha256 ", part.sha256, "\n");
  }
  text += model.manifest.self_test ? "  self-test passed\n" : "  no self-test\n";
  text += str("  policy ", ascii_json(write_policy(model.default_policy)), "\n");
  return text + str("  held-out ", ascii_json(model.manifest.held_out), "\n");
}

int run_inspect(const ModelOptions& options, const CommandLine& line) {
  Session session(session_options(options));
  load_session(session, options);
  line.print(describe_json(session), describe_text(session));
  return kOk;
}

}  // namespace

void add_inspect(CLI::App& app, CommandLine& line) {
  auto options = std::make_shared<ModelOptions>();
  CLI::App* command = add_subcommand(app, line, "inspect", "Verify, load and describe a bundle", options, run_inspect);
  add_model_options(*command, *options);
}

}  // namespace vitrine::cli
