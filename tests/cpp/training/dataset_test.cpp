#include "training/dataset.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/expect_error.hpp"

namespace vitrine {
namespace {

using Documents = std::vector<std::vector<TokenId>>;

/// Documents of 1 to 9 tokens; token ids say document and place.
Documents numbered_documents(std::size_t count) {
  Documents documents;
  for (std::size_t i = 0; i < count; ++i) {
    documents.emplace_back();
    for (std::size_t j = 0; j <= i % 9; ++j) documents.back().push_back(static_cast<TokenId>(100 * (i + 1) + j));
  }
  return documents;
}

TEST_CASE("a document is read from its begin mark to its end mark, each token with the one after it as target") {
  const Dataset dataset(Documents{{5, 6}, {7}}, {.begin = 1, .end = 2}, 8);
  CHECK(std::ranges::equal(dataset.tokens(), std::vector<TokenId>{1, 5, 6, 1, 7}));
  CHECK(std::ranges::equal(dataset.targets(), std::vector<TokenId>{5, 6, 2, 7, 2}));
  REQUIRE(dataset.runs().size() == 2);
  CHECK(dataset.runs()[1].begin == 3);
  CHECK(dataset.runs()[1].length == 2);
}

TEST_CASE("a document longer than the context goes on in the next run, with no target lost") {
  const Dataset dataset(Documents{{1, 2, 3, 4, 5, 6, 7, 8}}, {}, 3);
  REQUIRE(dataset.runs().size() == 3);
  CHECK(dataset.runs()[2].length == 1);
  CHECK(std::ranges::equal(dataset.targets(), std::vector<TokenId>{2, 3, 4, 5, 6, 7, 8}));
}

TEST_CASE("data without a token to predict are refused") {
  CHECK_ERROR(ErrorCode::bad_data, "at least two tokens", Dataset(Documents{}, {}, 4));
  CHECK_ERROR(ErrorCode::bad_data, "at least two tokens", Dataset(Documents{{}, {3}}, {}, 4));
}

TEST_CASE("the hash of a dataset tells tokens, targets, runs and contexts apart") {
  const auto hash = [](const Documents& documents, DocumentMarks marks, std::size_t max_seq_len) {
    return Dataset(documents, marks, max_seq_len).sha256();
  };
  const std::string one = hash({{5, 6, 7}, {8, 9}}, {}, 4);
  CHECK(one == hash({{5, 6, 7}, {8, 9}}, {}, 4));
  CHECK(one != hash({{5, 6, 7}, {9, 8}}, {}, 4));
  CHECK(one != hash({{5, 6, 3}, {8, 9}}, {}, 4));  // the same tokens, another last target
  CHECK(one != hash({{5, 6, 7}, {8, 9}}, {}, 2));  // the same runs, another context
  // Tokens and targets alike; runs of 2 and 2 against one of 4.
  CHECK(hash({{1, 1, 1}, {1, 1, 1}}, {}, 4) != hash({{1, 1, 1, 1, 1}}, {}, 4));
}

TEST_CASE("an epoch gives every row once, in whole runs, in sequences no longer than the context") {
  const Dataset dataset(numbered_documents(50), {.begin = 1, .end = 1}, 16);
  BatchSampler sampler(dataset, 3);
  std::vector<std::pair<TokenId, TokenId>> seen, all;
  TrainingBatch batch;
  while (sampler.state().epoch == 0) {
    sampler.next(40, batch);
    CHECK(batch.tokens.size() <= 40);
    std::size_t rows = 0;
    for (const Run& sequence : batch.sequences) {
      CHECK(sequence.begin == rows);
      CHECK(sequence.length <= 16);
      CHECK(batch.tokens[sequence.begin] == 1);
      rows += sequence.length;
    }
    CHECK(rows == batch.tokens.size());
    for (std::size_t i = 0; i < rows; ++i) seen.emplace_back(batch.tokens[i], batch.targets[i]);
  }
  for (std::size_t i = 0; i < dataset.tokens().size(); ++i) all.emplace_back(dataset.tokens()[i], dataset.targets()[i]);
  std::ranges::sort(seen);
  std::ranges::sort(all);
  CHECK(seen == all);
}

TEST_CASE("the order depends on seed and epoch, and goes on from a saved state") {
  const Dataset dataset(numbered_documents(50), {.begin = 1, .end = 1}, 16);
  const auto batches_from = [&](std::uint64_t seed, SamplerState state) {
    BatchSampler sampler(dataset, seed);
    sampler.restore(state);
    std::vector<std::vector<TokenId>> tokens;
    for (int i = 0; i < 20; ++i) {
      TrainingBatch batch;
      sampler.next(40, batch);
      tokens.push_back(batch.tokens);
    }
    return tokens;
  };
  BatchSampler sampler(dataset, 3);
  std::vector<std::vector<TokenId>> tokens;
  std::vector<SamplerState> states;
  for (int i = 0; i < 27; ++i) {
    states.push_back(sampler.state());
    TrainingBatch batch;
    sampler.next(40, batch);
    tokens.push_back(batch.tokens);
  }
  CHECK(states.back().epoch > 0);
  for (const std::size_t start : {0u, 1u, 7u}) {
    const std::vector<std::vector<TokenId>> again = batches_from(3, states[start]);
    CHECK(std::equal(again.begin(), again.end(), tokens.begin() + static_cast<std::ptrdiff_t>(start)));
  }
  CHECK(batches_from(4, {}) != batches_from(3, {}));
  CHECK(batches_from(3, {.epoch = 1}) != batches_from(3, {}));
  CHECK_ERROR(ErrorCode::bad_checkpoint, "expected a run below 50, found 50", sampler.restore({.next_run = 50}));
}

TEST_CASE("a batch smaller than the context is refused, since a run might never fit") {
  const Dataset dataset(numbered_documents(5), {}, 16);
  BatchSampler sampler(dataset, 1);
  TrainingBatch batch;
  CHECK_ERROR(ErrorCode::invalid_option, "batch_rows: expected at least the context length 16, found 15",
              sampler.next(15, batch));
}

}  // namespace
}  // namespace vitrine
