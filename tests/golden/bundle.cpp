// A bundle's logits by every schedule, and the text of each case, alone and in a batch with all others.
// session.mjs hashes the same texts as the wasm module tells them.
#include <map>
#include <string>
#include <vector>

#include "logits.hpp"
#include "session/session_json.hpp"
#include "sets.hpp"

namespace vitrine::golden {
namespace {

/// Every number of a value as a double, every text with its end, in the order of the members.
void absorb(const Json& value, BitHash& hash) {
  using namespace std::string_view_literals;
  if (value.is_structured()) {
    for (const Json& member : value) absorb(member, hash);
  } else if (value.is_string()) {
    hash.add(std::string_view(value.get_ref<const std::string&>())).add("\0"sv);
  } else if (value.is_null()) {
    hash.add("\1"sv);
  } else {
    hash.add(value.get<double>());
  }
}

/// What does not depend on how long a step took, and on what other rows have left in the caches. Steps that are within
/// a prompt are left out: how many there are depends on who else is in the batch.
void absorb_step(const RowStep& step, const Session& session, BitHash& hash) {
  if (step.token < 0) return;
  const Json json = step_json(step, session);
  for (const char* field : {"token", "text", "finish_reason", "probability", "coin", "distribution"}) {
    if (json.contains(field)) absorb(json[field], hash);
  }
}

void absorb_result(const RowResult& result, BitHash& hash) {
  const Json json = result_json(result);
  for (const char* field : {"text", "ids", "finish_reason", "prompt_tokens"}) absorb(json[field], hash);
}

RowId start(Session& session, const Json& one) {
  const RowOptions options = parse_row_options(one.value("options", Json::object()));
  return session.start(one["prompt"].get_ref<const std::string&>(), session.effective_policy(one["policy"]), options,
                       0);
}

std::string alone(Session& session, const Json& one) {
  BitHash hash;
  const RowId row = start(session, one);
  RowStep step;
  do {
    step = session.step(row);
    absorb_step(step, session, hash);
  } while (step.finish == FinishReason::none);
  absorb_result(session.result(row), hash);
  session.leave(row);
  return hash.hex();
}

/// Every case as a row of one batch.
std::vector<std::string> together(Session& session, const Json& cases) {
  std::vector<RowId> rows;
  std::map<RowId, BitHash> hashes;
  for (const Json& one : cases) rows.push_back(start(session, one));
  while (session.unfinished_rows() > 0) {
    for (const RowStep& step : session.step_all()) absorb_step(step, session, hashes[step.row]);
  }
  std::vector<std::string> result;
  for (const RowId row : rows) {
    absorb_result(session.result(row), hashes[row]);
    session.leave(row);
    result.push_back(hashes[row].hex());
  }
  return result;
}

/// The prompts of the cases, and all of them in a row as far as the context goes.
Sequences prompts(const LoadedModel& model, const Json& cases) {
  Sequences sequences;
  std::string all;
  for (const Json& one : cases) {
    const std::string& prompt = one["prompt"].get_ref<const std::string&>();
    sequences.push_back(model.encode_prompt(prompt));
    all += prompt + "\n";
  }
  sequences.push_back(model.encode_prompt(all + all + all));
  const std::size_t room = model.transformer.config().max_seq_len;
  if (sequences.back().size() > room) sequences.back().resize(room);
  return sequences;
}

}  // namespace

Json bundle_hashes(const Bundle& bundle, const Json& cases) {
  Ways logits;
  std::map<std::string, Ways> texts;
  for (const std::size_t threads : thread_counts()) {
    LoadedModel model = load_model(bundle, {.max_batch_rows = 512, .threads = threads});
    add_schedules(model.transformer, prompts(model, cases), threads, logits);
    Session session({.threads = threads, .max_rows = cases.size()});
    session.load(bundle);
    const std::vector<std::string> in_batch = together(session, cases);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      Ways& ways = texts[cases[i]["name"]];
      ways.emplace_back(str("alone, ", threads, " threads"), alone(session, cases[i]));
      ways.emplace_back(str("in a batch, ", threads, " threads"), in_batch[i]);
    }
  }
  Json json = Json::object();
  json["weights"] = bundle.manifest.require("weights").sha256;
  json["logits"] = agreed(logits);
  for (const Json& one : cases) {
    const std::string name = one["name"];
    json["text: " + name] = agreed(texts[name]);
  }
  return json;
}

}  // namespace vitrine::golden
