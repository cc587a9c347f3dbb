// Cutting where no character is unfinished is enough: replacement on both sides is then independent.
#include "tokenizer/streaming_decoder.hpp"

#include <utility>

#include "base/utf8.hpp"

namespace vitrine {

StreamingDecoder::StreamingDecoder(Tokenizer tokenizer, SpecialDecoding special)
    : tokenizer_(std::move(tokenizer)), special_(special) {}

std::string StreamingDecoder::push(TokenId id) {
  const std::string text = tokenizer_.decode({&id, 1}, special_);
  if (std::exchange(finished_, false)) {
    bytes_.clear();
    handed_out_ = 0;
  }
  bytes_ += text;
  return hand_out_until(bytes_.size() - incomplete_utf8_suffix(pending()));
}

std::string StreamingDecoder::finish() {
  finished_ = true;
  return hand_out_until(bytes_.size());
}

std::string StreamingDecoder::hand_out_until(std::size_t end) {
  std::string text = replace_invalid_utf8(std::string_view(bytes_).substr(handed_out_, end - handed_out_));
  handed_out_ = end;
  return text;
}

}  // namespace vitrine
