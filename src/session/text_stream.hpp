// TextStream: bytes that arrive in pieces, handed out as valid UTF-8 that never ends inside a character.
// Unlike the tokenizer's StreamingDecoder it takes bytes, since stop strings may cut a token in two.
#pragma once

#include <string>
#include <string_view>

#include "base/utf8.hpp"

namespace vitrine {

class TextStream {
 public:
  /// The text that these bytes complete, possibly empty; U+FFFD for bytes that no further byte can make valid.
  std::string push(std::string_view bytes) {
    held_ += bytes;
    return take(held_.size() - incomplete_utf8_suffix(held_));
  }

  /// What is still held back, as U+FFFD.
  std::string finish() { return take(held_.size()); }

 private:
  std::string take(std::size_t count) {
    std::string text = replace_invalid_utf8(std::string_view(held_).substr(0, count));
    held_.erase(0, count);
    return text;
  }

  std::string held_;
};

}  // namespace vitrine
