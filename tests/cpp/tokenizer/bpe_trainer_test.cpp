// The trainer against an outside oracle, and at its edges.
#include "tokenizer/bpe_trainer.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

#include "base/byte_level.hpp"
#include "base/error.hpp"
#include "support/shared_data.hpp"

using namespace vitrine;

TEST_CASE("the trainer makes the 243 merges of the cs336 reference") {
  const auto corpus = test::read_shared_data("bpe-train/corpus.en");
  const auto expected = test::read_shared_data("bpe-train/train-bpe-reference-merges.txt");
  if (!corpus || !expected) return;
  const Tokenizer tokenizer = train_bpe(*corpus, {.vocab_size = 500, .special_tokens = {"<|endoftext|>"}});
  const TokenizerData data = tokenizer.data();
  std::ostringstream merges;
  for (const Merge& merge : data.merges) {
    merges << to_byte_level(tokenizer.token_bytes(merge.left)) << ' '
           << to_byte_level(tokenizer.token_bytes(merge.right)) << '\n';
  }
  CHECK(merges.str() == *expected);
  CHECK(tokenizer.vocab_size() == 500);
}
