// A policy in a JSON file, as --policy names it. What the options mean is src/sampling's.
#pragma once

#include <cstddef>
#include <string>

#include "sampling/policy.hpp"

namespace vitrine::cli {

/// The policy of a file on top of `defaults`; "-" is stdin. Throws as read_text, parse_json and parse_policy, with the
/// file's name in front.
Policy read_policy_file(const std::string& path, std::size_t vocab_size, const Policy& defaults);

}  // namespace vitrine::cli
