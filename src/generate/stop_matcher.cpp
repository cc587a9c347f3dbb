// One byte at a time against every stop string: at most 16 strings of 256 bytes, which mostly differ in the last byte.
#include "generate/stop_matcher.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace vitrine {

StopMatcher::StopMatcher(std::vector<std::string> stops) : stops_(std::move(stops)) {
  VITRINE_ASSERT(std::none_of(stops_.begin(), stops_.end(), [](const std::string& stop) { return stop.empty(); }));
}

std::string StopMatcher::push(std::string_view bytes) {
  std::string released;
  for (const char byte : bytes) {
    if (matched_) break;
    held_.push_back(byte);
    matched_ = drop_match();
    const std::size_t free = matched_ ? held_.size() : possible_start();
    released.append(held_, 0, free);
    held_.erase(0, free);
  }
  return released;
}

std::string StopMatcher::finish() { return std::exchange(held_, {}); }

/// Removes the longest stop string that held_ ends with; says whether there was one.
bool StopMatcher::drop_match() {
  std::size_t longest = 0;
  for (const std::string& stop : stops_) {
    if (held_.ends_with(stop)) longest = std::max(longest, stop.size());
  }
  held_.resize(held_.size() - longest);
  return longest > 0;
}

/// Where the longest suffix of held_ begins that is the beginning of a stop string; its size if there is none.
std::size_t StopMatcher::possible_start() const {
  const std::string_view held = held_;
  for (std::size_t start = 0; start < held.size(); ++start) {
    for (const std::string& stop : stops_) {
      if (stop.starts_with(held.substr(start))) return start;
    }
  }
  return held.size();
}

}  // namespace vitrine
