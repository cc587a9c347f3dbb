// Bytes as a config.json: what is accepted is a consistent architecture and writes back equal.
#include "model/config.hpp"
#include "support/target.hpp"

using namespace vitrine;

VITRINE_FUZZ_TARGET(config_json, nullptr) {
  const auto config = fuzz::attempt(input, {}, [&] { return parse_config(input); });
  if (!config) return;
  validate(*config);
  VITRINE_PROMISE(config->n_heads == config->group() * config->n_kv_heads, "heads are grouped evenly");
  VITRINE_PROMISE(config->kv_width() <= config->q_width(), "no more keys than queries");
  const std::string written = write_config(*config);
  VITRINE_PROMISE(parse_config(written) == *config, "reads back");
  VITRINE_PROMISE(write_config(parse_config(written)) == written, "equal configurations give equal text");
}
