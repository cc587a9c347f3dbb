// A schedule: one small architecture, and what is done with its caches, step by step. Drawn at random, and written as
// one line of JSON that reads back. It runs nothing: schedule_run.hpp does.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "base/json.hpp"
#include "base/rng.hpp"
#include "kernels/attention.hpp"
#include "model/config.hpp"

namespace vitrine::test {

/// Four caches, each with the tokens that it should hold. What an operation does with its parts:
enum class Action {
  all,      ///< one forward pass: `amount` tokens of text `text` in cache `row`, for each part; all logits
  last,     ///< the same, asking for the last row of logits of each sequence
  none,     ///< the same, asking for no logits
  rewind,   ///< back to `amount` positions
  fork,     ///< the cache becomes that of row `amount` too
  restore,  ///< the cache is saved as a file and read back
  reuse,    ///< a prompt of `amount` tokens of text `text`: what the cache holds of it stays, the rest is computed
  beyond,   ///< a pass in which the first part has one token too many: refused, and nothing has changed
};

inline constexpr std::array<std::string_view, 8> kActionNames = {"all",  "last",    "none",  "rewind",
                                                                 "fork", "restore", "reuse", "beyond"};

/// Amounts are cut to what fits, so that any list of operations is one that can be run: a shrunk one too.
struct Part {
  std::size_t row = 0;
  std::size_t amount = 1;
  std::size_t text = 0;

  bool operator==(const Part&) const = default;
};

struct Operation {
  Action action = Action::all;
  std::vector<Part> parts;

  bool operator==(const Operation&) const = default;
};

struct Schedule {
  static constexpr std::size_t kRows = 4;

  ModelConfig config;
  std::uint64_t seed = 1;  ///< of weights and texts
  KvDType cache_dtype = KvDType::f32;
  std::size_t threads = 1;
  std::vector<Operation> operations;

  /// Token number `position` of a text.
  TokenId token(std::size_t text, std::size_t position) const {
    return static_cast<TokenId>(RandomStream(seed, 2000 + text).bits_at(position) % config.vocab_size);
  }

  bool operator==(const Schedule&) const = default;
};

namespace detail {

inline std::size_t between(RandomStream& random, std::size_t low, std::size_t high) {
  return low + static_cast<std::size_t>(random.next_below(high - low + 1));
}

/// The end of the first or second block of keys, or a position beside it: where what is kept in blocks goes wrong.
inline std::size_t near_block_end(RandomStream& random) {
  return kernels::kKeyBlock * between(random, 1, 2) + between(random, 0, 2) - 1;
}

inline ModelConfig draw_config(RandomStream& random) {
  ModelConfig c;
  c.n_layers = between(random, 1, 3);
  c.n_kv_heads = between(random, 1, 3);
  c.n_heads = c.n_kv_heads * between(random, 1, 3);
  c.head_dim = 2 * between(random, 1, 9);
  c.d_model = between(random, 1, 35);
  c.d_ff = between(random, 1, 43);
  if (between(random, 1, 100) == 1) {  // wide enough for threads to share the work
    c.n_layers = 1;
    c.d_model = between(random, 90, 130);
    c.d_ff = between(random, 300, 330);
  }
  c.vocab_size = between(random, 2, 61);
  c.max_seq_len = between(random, 1, 40);
  c.rope_theta = std::array{10000.0, 500.0, 1e6}[between(random, 0, 2)];
  c.rope_pairing = between(random, 0, 1) == 0 ? kernels::RopePairing::halves : kernels::RopePairing::adjacent;
  c.norm_eps = between(random, 0, 1) == 0 ? 1e-5f : 1e-2f;
  c.tied_head = between(random, 0, 1) == 0;
  return c;
}

inline Operation draw_operation(RandomStream& random, const ModelConfig& c) {
  // Half of all operations are passes with logits; decoding one token is the most frequent of them.
  constexpr std::array kActions = {Action::all,    Action::all,   Action::all,   Action::all,     Action::last,
                                   Action::last,   Action::last,  Action::none,  Action::rewind,  Action::rewind,
                                   Action::rewind, Action::fork,  Action::fork,  Action::restore, Action::restore,
                                   Action::reuse,  Action::reuse, Action::beyond};
  Operation operation{kActions[between(random, 0, kActions.size() - 1)], {}};
  const bool pass = operation.action <= Action::none || operation.action == Action::beyond;
  const std::size_t parts = pass && between(random, 0, 1) == 0 ? between(random, 2, Schedule::kRows) : 1;
  std::size_t row = between(random, 0, Schedule::kRows - 1);
  for (std::size_t i = 0; i < parts; ++i, row = (row + 1) % Schedule::kRows) {
    const std::array amounts = {std::size_t{1},         std::size_t{1},         std::size_t{1}, between(random, 2, 4),
                                between(random, 1, 20), near_block_end(random), c.max_seq_len};
    std::size_t amount = amounts[between(random, 0, amounts.size() - 1)];
    const bool anywhere = between(random, 0, 1) == 0;
    if (operation.action == Action::rewind && anywhere) amount = between(random, 0, c.max_seq_len);
    if (operation.action == Action::reuse && anywhere) amount = between(random, 1, c.max_seq_len);
    if (operation.action == Action::fork) amount = between(random, 0, Schedule::kRows - 1);
    operation.parts.push_back({row, amount, between(random, 0, 2)});
  }
  return operation;
}

}  // namespace detail

/// Schedules of one `family` of a seed share their architecture, so that they can share what is computed of it.
inline Schedule draw_schedule(std::uint64_t seed, std::uint64_t family, std::uint64_t member) {
  RandomStream architecture(seed, family);
  Schedule schedule;
  schedule.config = detail::draw_config(architecture);
  schedule.seed = detail::between(architecture, 1, 1'000'000);
  schedule.cache_dtype = kKvDTypes[detail::between(architecture, 0, 2)].dtype;
  schedule.threads = detail::between(architecture, 1, 3);
  RandomStream random(seed, (member + 1) << 32 | family);
  const std::size_t count = detail::between(random, 1, 16);
  for (std::size_t i = 0; i < count; ++i) {
    schedule.operations.push_back(detail::draw_operation(random, schedule.config));
  }
  return schedule;
}

/// One line: {"config": as in config.json, "seed", "cache_dtype", "threads", "operations": [["all", [row, amount,
/// text],
/// ...], ...]}.
inline std::string write_schedule(const Schedule& schedule) {
  Json operations = Json::array();
  for (const Operation& operation : schedule.operations) {
    Json json = Json::array({kActionNames[static_cast<std::size_t>(operation.action)]});
    for (const Part& part : operation.parts) json.push_back(Json::array({part.row, part.amount, part.text}));
    operations.push_back(std::move(json));
  }
  return json_text(Json{{"config", parse_json(write_config(schedule.config), "config")},
                        {"seed", schedule.seed},
                        {"cache_dtype", kv_dtype_name(schedule.cache_dtype)},
                        {"threads", schedule.threads},
                        {"operations", std::move(operations)}});
}

/// Throws bad_data for what write_schedule would not write.
inline Schedule parse_schedule(std::string_view text) {
  const Json json = parse_json(text, "schedule");
  JsonObjectReader reader(json, "schedule", ErrorCode::bad_data);
  Schedule schedule;
  schedule.config = parse_config(json_text(reader.value("config")));
  schedule.seed = reader.unsigned_integer("seed", 0, INT64_MAX);
  schedule.cache_dtype = parse_kv_dtype(reader.string("cache_dtype"));
  schedule.threads = reader.unsigned_integer("threads", 1, 16);
  for (const Json& entry : reader.array("operations")) {
    const auto name = std::find(kActionNames.begin(), kActionNames.end(), entry.at(0).get<std::string>());
    VITRINE_CHECK(name != kActionNames.end(), ErrorCode::bad_data, "schedule: expected the name of an action, found ",
                  json_text(entry));
    Operation operation{static_cast<Action>(name - kActionNames.begin()), {}};
    for (std::size_t i = 1; i < entry.size(); ++i) {
      operation.parts.push_back({entry[i].at(0), entry[i].at(1), entry[i].at(2)});
    }
    schedule.operations.push_back(std::move(operation));
  }
  reader.finish();
  return schedule;
}

}  // namespace vitrine::test
