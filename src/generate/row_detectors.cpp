// The detectors that look at the rows of a generator: their draws, and what a row does after its end.
#include "generate/row_detectors.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/check.hpp"

namespace vitrine::detect {

namespace {

constexpr std::size_t kRows = 6;
constexpr std::size_t kDraws = 4;

RowRequest request(std::span<const TokenId> prompt, std::uint64_t stream, std::size_t max_new_tokens) {
  RowRequest request;
  request.prompt.assign(prompt.begin(), prompt.end());
  request.stream = stream;
  request.policy.seed = 1;
  request.policy.temperature = PolicyLimits::kMaxTemperature;
  request.policy.max_new_tokens = max_new_tokens;
  return request;
}

/// Runs rows with these streams to their end, side by side, and gives what each drew.
std::vector<std::vector<TokenId>> draws(Generator& generator, std::span<const TokenId> prompt,
                                        std::span<const std::uint64_t> streams) {
  std::vector<RowId> rows;
  for (const std::uint64_t stream : streams) rows.push_back(generator.join(request(prompt, stream, kDraws)));
  while (generator.unfinished_rows() > 0) generator.step();
  std::vector<std::vector<TokenId>> drawn;
  for (const RowId row : rows) {
    const std::span<const TokenId> tokens = generator.row(row).generated;
    drawn.emplace_back(tokens.begin(), tokens.end());
    generator.leave(row);
  }
  return drawn;
}

std::string listed(std::span<const TokenId> tokens) {
  std::string text = "tokens";
  for (const TokenId token : tokens) text += str(" ", token);
  return text;
}

/// What a row may not change after its end.
std::string state(const RowView& row) { return str(listed(row.generated), "; ", row.cache.length(), " positions"); }

}  // namespace

std::optional<Finding> independent_draws(Generator& generator, std::span<const TokenId> prompt) {
  std::vector<std::uint64_t> streams;
  std::vector<std::vector<TokenId>> alone;
  for (std::uint64_t stream = 0; stream < kRows; ++stream) {
    streams.push_back(stream);
    alone.push_back(draws(generator, prompt, {&stream, 1}).front());
  }
  const std::vector<std::vector<TokenId>> side_by_side = draws(generator, prompt, streams);
  for (std::size_t r = 0; r < kRows; ++r) {
    if (side_by_side[r] != alone[r]) {
      return Finding{str("row ", r, " of ", kRows), listed(alone[r]), listed(side_by_side[r])};
    }
  }
  if (std::equal(alone.begin() + 1, alone.end(), alone.begin())) {
    return Finding{str(kRows, " rows"), "other draws from other streams", listed(alone[0])};
  }
  return std::nullopt;
}

std::optional<Finding> finished_row_is_still(Generator& generator, std::span<const TokenId> prompt) {
  const RowId ends = generator.join(request(prompt, 0, 1));
  const RowId goes_on = generator.join(request(prompt, 1, kDraws));
  while (generator.row(ends).finish == FinishReason::none) generator.step();
  const std::string expected = state(generator.row(ends));
  while (generator.row(goes_on).finish == FinishReason::none) generator.step();
  const std::string found = state(generator.row(ends));
  generator.leave(ends);
  generator.leave(goes_on);
  if (found == expected) return std::nullopt;
  return Finding{"a finished row while another made 3 tokens", expected, found};
}

}  // namespace vitrine::detect
