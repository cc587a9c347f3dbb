// The checks are those of the page and the module; only the name of the file is added to what they say.
#include "cli/policy_file.hpp"

#include "base/check.hpp"
#include "base/json.hpp"
#include "cli/text.hpp"

namespace vitrine::cli {
namespace {

/// More than any policy needs: its longest part are sixteen stop strings.
constexpr std::uint64_t kMaxPolicyBytes = std::uint64_t{1} << 20;

}  // namespace

Policy read_policy_file(const std::string& path, std::size_t vocab_size, const Policy& defaults) {
  const JsonDocument json = parse_json(read_text(path, kMaxPolicyBytes), path);
  try {
    return parse_policy(json, vocab_size, defaults);
  } catch (const Error& error) {
    fail(error.code(), str(path, ": ", error.message()));
  }
}

}  // namespace vitrine::cli
