// Bytes as a text with stop strings: tokens give it back, the stream hands out whole characters, and the stop matcher
// agrees with a plain search. Input: a count of stop strings, each with a length byte before it, then the text.
#include <algorithm>
#include <limits>

#include "base/utf8.hpp"
#include "generate/stop_matcher.hpp"
#include "session/text_stream.hpp"
#include "support/target.hpp"
#include "tokenizer/pre_tokenizer.hpp"
#include "tokenizer/streaming_decoder.hpp"

using namespace vitrine;

namespace {

struct Case {
  std::vector<std::string> stops;
  std::string_view text;
};

Case split(std::string_view input) {
  const auto take = [&](std::size_t count) {
    const std::string_view taken = input.substr(0, count);
    input.remove_prefix(taken.size());
    return taken;
  };
  const auto number = [&] {
    const std::string_view byte = take(1);
    return byte.empty() ? std::size_t{0} : std::size_t{static_cast<unsigned char>(byte[0])};
  };
  Case found;
  for (std::size_t count = number() % 8; count > 0; --count) {
    const std::string_view stop = take(number() % 16);
    if (!stop.empty()) found.stops.emplace_back(stop);
  }
  found.text = input;
  return found;
}

/// The 256 bytes, merges that compete (runs of one letter, a character of two tokens), and two special tokens of which
/// one begins the other.
TokenizerData make_data(PreTokenizer pre_tokenizer) {
  TokenizerData data;
  data.pre_tokenizer = pre_tokenizer;
  for (int byte = 0; byte < 256; ++byte) data.tokens.emplace_back(1, static_cast<char>(byte));
  const std::pair<std::string, std::string> merges[] = {
      {"a", "a"},           {"aa", "aa"},         {"a", "b"},      {"ab", "a"}, {" ", "a"},
      {" a", "b"},          {" ", " "},           {"\n", "\n"},    {"'", "s"},  {"\xe2", "\x82"},
      {"\xe2\x82", "\xac"}, {"\xf0\x9f", "\x98"}, {"\xf0", "\x9f"}};
  const auto id_of = [&](const std::string& bytes) {
    const auto place = std::find(data.tokens.begin(), data.tokens.end(), bytes);
    return place == data.tokens.end() ? TokenId{-1} : static_cast<TokenId>(place - data.tokens.begin());
  };
  for (const auto& [left, right] : merges) {
    if (id_of(left + right) < 0) data.tokens.push_back(left + right);
  }
  for (const auto& [left, right] : merges) data.merges.push_back({id_of(left), id_of(right)});
  for (const std::string content : {"<|a|>", "<|a|><|b|>"}) {
    data.special_tokens.push_back({static_cast<TokenId>(data.tokens.size()), content});
    data.tokens.emplace_back();
  }
  return data;
}

/// The tokens of one piece by the definition: the best-ranked neighbours join, the leftmost first, until none can.
std::vector<TokenId> merge_plainly(std::string_view piece, const TokenizerData& data) {
  std::vector<TokenId> ids;
  for (const char byte : piece) ids.push_back(static_cast<unsigned char>(byte));
  for (;;) {
    std::size_t best_rank = data.merges.size(), best = 0;
    for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
      const auto place = std::find(data.merges.begin(), data.merges.end(), Merge{ids[i], ids[i + 1]});
      const auto rank = static_cast<std::size_t>(place - data.merges.begin());
      if (rank < best_rank) std::tie(best_rank, best) = std::pair(rank, i);
    }
    if (best_rank == data.merges.size()) return ids;
    const Merge& merge = data.merges[best_rank];
    const std::string bytes =
        data.tokens[static_cast<std::size_t>(merge.left)] + data.tokens[static_cast<std::size_t>(merge.right)];
    const auto place = std::find(data.tokens.begin(), data.tokens.end(), bytes);
    ids[best] = static_cast<TokenId>(place - data.tokens.begin());
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

std::vector<TokenId> encode_plainly(std::string_view text, const TokenizerData& data) {
  std::vector<TokenId> ids;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = next_piece_end(data.pre_tokenizer, text, begin);
    VITRINE_PROMISE(end > begin && end <= text.size(), "pieces cover the text");
    const std::vector<TokenId> piece = merge_plainly(text.substr(begin, end - begin), data);
    ids.insert(ids.end(), piece.begin(), piece.end());
    begin = end;
  }
  return ids;
}

/// The text before the stop string that is complete first, the longest of those that end there; all of it without one.
std::string_view cut_plainly(std::string_view text, const std::vector<std::string>& stops) {
  std::size_t end = std::numeric_limits<std::size_t>::max(), length = 0;
  for (const std::string& stop : stops) {
    const std::size_t begin = text.find(stop);
    if (begin == text.npos) continue;
    const std::size_t stop_end = begin + stop.size();
    if (stop_end < end || (stop_end == end && stop.size() > length))
      std::tie(end, length) = std::pair(stop_end, stop.size());
  }
  return length == 0 ? text : text.substr(0, end - length);
}

void check_stream(const Tokenizer& tokenizer, const std::vector<TokenId>& ids, std::string_view text) {
  StreamingDecoder decoder(tokenizer);
  std::string streamed;
  for (const TokenId id : ids) {
    const std::string piece = decoder.push(id);
    VITRINE_PROMISE(is_valid_utf8(piece), "whole characters");
    VITRINE_PROMISE(decoder.pending().size() <= 3, "no more held back than a character needs");
    streamed += piece;
  }
  streamed += decoder.finish();
  VITRINE_PROMISE(decoder.bytes() == text, "the stream keeps the bytes");
  VITRINE_PROMISE(streamed == replace_invalid_utf8(text), "the stream hands out the text");
}

/// What a row releases when its bytes arrive as these tokens.
void check_stops(const Tokenizer& tokenizer, const std::vector<TokenId>& ids, const Case& input) {
  const std::string_view expected = cut_plainly(input.text, input.stops);
  StopMatcher matcher(input.stops);
  TextStream stream;
  std::string released, shown;
  for (const TokenId id : ids) {
    const std::string bytes = matcher.push(tokenizer.token_bytes(id));
    released += bytes;
    const std::string piece = stream.push(bytes);
    VITRINE_PROMISE(is_valid_utf8(piece), "whole characters");
    shown += piece;
    VITRINE_PROMISE(expected.starts_with(released), "nothing is released that a stop string takes back");
  }
  const std::string rest = matcher.finish();
  released += rest;
  shown += stream.push(rest);
  shown += stream.finish();
  VITRINE_PROMISE(matcher.matched() == (expected.size() < input.text.size()), "matched");
  VITRINE_PROMISE(released == expected, "the text before the stop string");
  VITRINE_PROMISE(shown == replace_invalid_utf8(expected), "and its characters");
}

void check(const TokenizerData& data, const Tokenizer& tokenizer, const Case& input) {
  const auto ids = fuzz::attempt(input.text, {}, [&] { return tokenizer.encode(input.text); });
  if (fuzz::allocation_failed()) return;
  VITRINE_PROMISE(ids.has_value(), "every text is encoded");
  VITRINE_PROMISE(tokenizer.decode(*ids) == input.text, "text comes back");
  VITRINE_PROMISE(*ids == encode_plainly(input.text, data), "the merges are those of the definition");
  const std::vector<TokenId> with_special = tokenizer.encode_with_special(input.text);
  VITRINE_PROMISE(tokenizer.decode(with_special, SpecialDecoding::content) == input.text, "text with special tokens");
  check_stream(tokenizer, *ids, input.text);
  check_stops(tokenizer, *ids, input);
}

}  // namespace

VITRINE_FUZZ_TARGET(text, nullptr) {
  static const TokenizerData words = make_data(PreTokenizer::gpt2), whole = make_data(PreTokenizer::none);
  static const Tokenizer word_tokenizer(words), whole_tokenizer(whole);
  const Case found = split(input);
  check(words, word_tokenizer, found);
  if (fuzz::allocation_failed()) return;
  check(whole, whole_tokenizer, found);
}
