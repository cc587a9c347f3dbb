// Text that arrives token by token: hands out what is complete and holds back the bytes of an unfinished character.
// Not a stop rule: strings that end a generation are the generator's business.
#pragma once

#include <string>
#include <string_view>

#include "base/token_id.hpp"
#include "tokenizer/tokenizer.hpp"

namespace vitrine {

/// All text handed out, in order, equals replace_invalid_utf8(bytes()) once finish has been called, wherever the
/// boundaries of the tokens fell.
class StreamingDecoder {
 public:
  explicit StreamingDecoder(Tokenizer tokenizer, SpecialDecoding special = SpecialDecoding::omit);

  /// The text, valid UTF-8 and possibly empty, that this token completes. Bytes that no further byte can make valid
  /// come out as U+FFFD, one for each maximal subpart. Throws invalid_token and then changes nothing.
  std::string push(TokenId id);

  /// What is still held back, as U+FFFD. The next push begins a new text.
  std::string finish();

  /// Every byte since the beginning, as the tokens gave them.
  std::string_view bytes() const { return bytes_; }

  /// The bytes held back: the beginning of a character, 0 to 3 of them.
  std::string_view pending() const { return std::string_view(bytes_).substr(handed_out_); }

 private:
  std::string hand_out_until(std::size_t end);

  Tokenizer tokenizer_;
  SpecialDecoding special_;
  std::string bytes_;
  std::size_t handed_out_ = 0;
  bool finished_ = false;
};

}  // namespace vitrine
