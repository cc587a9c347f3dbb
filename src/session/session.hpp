// Session: text in, text out. The one facade over a loaded model for the command line, the tests and wasm.
// It holds no model code: rows run in a Generator, and every figure that it reports was measured or counted there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "generate/generator.hpp"
#include "generate/parity.hpp"
#include "io/bundle.hpp"
#include "session/detectors.hpp"
#include "session/inspection.hpp"
#include "session/loaded_model.hpp"
#include "session/row_types.hpp"
#include "session/session_row.hpp"
#include "session/text_evaluation.hpp"

namespace vitrine {

struct SessionOptions {
  std::size_t threads = 1;
  std::size_t max_rows = 8;  ///< at once; what complete() and the proofs run comes on top
  std::size_t prefill_chunk = 64;
  KvDType cache_dtype = KvDType::f32;
};

class Session {
 public:
  explicit Session(const SessionOptions& options = {});

  /// Throws what add_file would for the name and the size alone: for a caller who has to copy the bytes first.
  void expect_file(const std::string& name, std::uint64_t bytes) const;
  /// Takes the bytes of one file of a bundle, manifest.json first; a part is verified as it arrives. Throws what
  /// parse_manifest and verify_part throw, and bad_manifest for a manifest that is too long or a file that it does not
  /// list.
  void add_file(const std::string& name, std::string bytes);
  /// Loads the bundle whose files were added. Throws not_loaded without any, part_mismatch for one still missing, and
  /// what load_model throws; a model that was loaded before then stays.
  void load();
  void load(Bundle bundle);

  /// All that follows throws not_loaded before a load has succeeded.
  const LoadedModel& model() const { return loaded(); }
  std::vector<TokenId> encode(std::string_view text) const { return loaded().tokenizer.encode(text); }
  /// Valid UTF-8: U+FFFD stands for bytes that are not.
  std::string decode(std::span<const TokenId> ids) const;

  /// The bundle's default policy with these options on top.
  Policy effective_policy(const Json& options) const;
  /// The same for complete(): greedy, up to 24 tokens, to the end of the document, unless the options say otherwise.
  Policy completion_policy(const Json& options) const;

  /// Begins a row: the template's begin token, then the prompt. `entropy` becomes the seed if the policy has none.
  /// Throws as Generator::join.
  RowId start(std::string_view prompt, const Policy& policy, const RowOptions& options, std::uint64_t entropy);
  /// One forward pass for a row. Throws not_loaded if it has left, invalid_option if it has finished, and the error of
  /// a row whose logits cannot be sampled.
  RowStep step(RowId row);
  /// One forward pass for every row that goes on, or for those of `rows` that do; a row that cannot shows so in its
  /// finish and error. Throws as Generator::step.
  std::vector<RowStep> step_all();
  std::vector<RowStep> step(std::span<const RowId> rows);
  /// Takes back a row's last `tokens` tokens, and the end that it had; the next steps draw again what they drew. Costs
  /// and parity go on from where they were: what was computed was computed. Throws invalid_option for more tokens than
  /// the row has chosen.
  void rewind(RowId row, std::size_t tokens);
  /// What happened inside the healthy model at a position of the row, from a pass over the row's tokens up to there.
  /// Throws invalid_option for a position that the row or the context has not.
  Inspection inspect(RowId row, std::size_t position);
  /// What the row's cache holds.
  CacheMap cache_map(RowId row) const;
  /// Ends a row; one that has ended already stays as it is.
  void abort(RowId row);
  RowResult result(RowId row) const;
  /// The row's tokens: the prompt, then what was chosen.
  std::vector<TokenId> tokens(RowId row) const;
  /// A row that goes on, as a file (saved_session.hpp): its tokens, options and cache. Throws invalid_option for one
  /// that has ended.
  std::string save(RowId row) const;
  /// Begins a row that goes on where a saved one stood, to the same bits; its costs and parity count from here. Throws
  /// what read_saved_session throws, bad_session for tokens that no row can have, and batch_full; nothing has changed
  /// then. `where` names the file in errors.
  RowId restore(std::string_view file, std::string_view where = "session");
  /// Forgets a row; its cache stays for prompts that begin alike.
  void leave(RowId row);
  std::size_t unfinished_rows() const;
  /// Memory of every cache that the session holds.
  KvBytes cache_bytes() const;
  /// What the step that fills the last of `positions` positions costs. Throws invalid_option unless they fit.
  GrowthPoint growth(std::size_t positions) const;

  /// Continues a text for a text box, from before its last word on: models know whole words. Runs on a cache of its
  /// own, rewound to what the text shares with the text before. Where a document is a line, the last line alone counts.
  /// The result's text is what to add. `entropy` and errors as in start.
  RowResult complete(std::string_view text, const Policy& policy, std::uint64_t entropy);

  /// Continues the prompt to `tokens` tokens in all (none: 200, or the whole of a shorter context), whatever would end
  /// a text, and checks parity on them. Throws invalid_option where the prompt alone has more, or the context fewer.
  ParityReport check_parity(std::string_view prompt, std::optional<std::size_t> tokens, std::uint64_t seed);
  /// Scores a text, each of its documents from a fresh context. Throws bad_data if there is nothing to predict.
  TextEvaluation evaluate(std::string_view text);

  /// Makes the model and its rows wrong on purpose (model/fault.hpp) until Fault::none or a load makes them right
  /// again.
  void inject(Fault fault);
  /// What each detector sees with this fault, whatever is injected now; rows go on afterwards as if nothing had been.
  std::vector<Sighting> detect(Fault fault) { return run_detectors(loaded(), fault); }
  /// The same for the healthy model and for each fault.
  DetectorReport check_detectors() { return vitrine::check_detectors(loaded()); }

 private:
  LoadedModel& loaded() const;
  const ManifestPart& incoming_part(const std::string& file) const;
  RowRequest make_request(std::string_view prompt, const Policy& policy, const RowOptions& options,
                          std::uint64_t entropy) const;
  std::vector<RowStep> record_all(std::span<const RowEvent> events, double milliseconds);
  RowStep record(SessionRow& row, const RowEvent& event, double milliseconds);
  LaneCost cost(std::size_t past, std::size_t computed, std::size_t logits_rows, double milliseconds) const;
  LaneCost cached_cost(const RowEvent& event, double milliseconds) const;
  void compare_with_full_prefix(std::size_t offset, RowStep& step);
  SessionRow& row(RowId id) const;

  SessionOptions options_;
  std::unique_ptr<Bundle> incoming_;
  std::unique_ptr<LoadedModel> model_;
  std::unique_ptr<Generator> generator_;
  std::unique_ptr<Generator> completer_;
  std::unique_ptr<KvCache> full_prefix_cache_;
  std::vector<float> cached_logits_;  // [rows to compare, V]
  std::map<RowId, std::unique_ptr<SessionRow>> rows_;
};

}  // namespace vitrine
