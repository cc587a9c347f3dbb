// StopMatcher: finds stop strings in a growing byte sequence, and holds back what may still become one.
// It sees bytes, so that a stop string may begin and end inside tokens; it never sees the prompt.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vitrine {

class StopMatcher {
 public:
  StopMatcher() = default;
  /// Each stop string has at least one byte.
  explicit StopMatcher(std::vector<std::string> stops);

  /// Takes more bytes and returns those that can belong to no stop string any more. The first stop string to be
  /// complete wins (the longest of several that end together), so the result does not depend on how the bytes were cut
  /// into tokens. After a match everything is ignored.
  std::string push(std::string_view bytes);

  /// What is still held back, when nothing more comes; empty after a match.
  std::string finish();

  bool matched() const { return matched_; }

 private:
  bool drop_match();
  std::size_t possible_start() const;

  std::vector<std::string> stops_;
  std::string held_;
  bool matched_ = false;
};

}  // namespace vitrine
