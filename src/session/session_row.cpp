// Text goes through the stream, so that no step ends in half a character; costs are only added up.
#include "session/session_row.hpp"

namespace vitrine {

std::string SessionRow::enter(const RowEvent& event, const LaneCost& cached) {
  (has_token ? decode : prefill) += cached;
  has_token = has_token || event.token >= 0;
  std::string new_text = stream.push(event.bytes);
  if (event.finish != FinishReason::none) new_text += stream.finish();
  text += new_text;
  return new_text;
}

void SessionRow::enter_parity(const LaneCost& full_lane, const ParityTally& tally) {
  full += full_lane;
  parity += tally;
}

void SessionRow::enter_abort(std::string_view released) {
  text += stream.push(released);
  text += stream.finish();
}

void SessionRow::enter_tokens(std::string_view certain, bool any_token) {
  stream = {};
  text = stream.push(certain);
  has_token = any_token;
}

RowResult SessionRow::result(const RowView& row) const {
  RowResult out;
  out.text = text;
  out.ids.assign(row.generated.begin(), row.generated.end());
  out.finish = row.finish;
  out.policy = row.policy;
  out.prompt_tokens = row.prompt.size();
  out.reused_positions = row.reused;
  out.prefill = prefill;
  out.decode = decode;
  out.full = full;
  out.parity = parity;
  out.cache_dtype = row.cache.shape().dtype;
  out.cache = row.cache.bytes();
  return out;
}

}  // namespace vitrine
