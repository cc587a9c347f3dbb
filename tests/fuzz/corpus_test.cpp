// The corpus, replayed in every build: tests/fuzz/corpus/TARGET/OUTCOME/what-it-is. Each input must end as its folder
// says: accepted, or refused with that error code. It mutates nothing; that is libFuzzer's part.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "io/atomic_file.hpp"
#include "support/repair.hpp"
#include "support/target.hpp"

using namespace vitrine;

namespace {

namespace fs = std::filesystem;

constexpr const char* kCorpus = "tests/fuzz/corpus";
constexpr std::string_view kHashField = R"("sha256":")";

struct Input {
  std::string path;
  std::string outcome;  ///< its folder
  std::string bytes;
};

std::vector<Input> inputs_of(std::string_view target) {
  std::vector<Input> inputs;
  const fs::path folder = fs::path(kCorpus) / target;
  REQUIRE_MESSAGE(fs::is_directory(folder), folder.string(), ": expected a folder");
  for (const auto& outcome : fs::directory_iterator(folder)) {
    for (const auto& file : fs::directory_iterator(outcome)) {
      const std::string path = file.path().string();
      inputs.push_back({path, outcome.path().filename().string(), read_file(path, 1 << 20)});
    }
  }
  std::sort(inputs.begin(), inputs.end(), [](const Input& a, const Input& b) { return a.path < b.path; });
  return inputs;
}

/// "A" and "A_or_B", where machines differ in how much they can address.
bool is_expected(std::string_view folder, std::string_view outcome) {
  constexpr std::string_view kOr = "_or_";
  const std::size_t split = folder.find(kOr);
  if (split == folder.npos) return folder == outcome;
  return folder.substr(0, split) == outcome || folder.substr(split + kOr.size()) == outcome;
}

/// How the input ends; or, when it breaks a promise or throws something else, what that was.
std::string outcome_of(const fuzz::Target& target, std::string_view bytes) {
  try {
    target.run(bytes);
  } catch (const std::exception& error) {
    return str("broken promise: ", error.what());
  }
  return std::string(fuzz::last_outcome());
}

/// Makes the first allocation of reading the input fail, then the second, and so on, with longer strides further on;
/// returns how many were tried. Each must end as out_of_memory: nothing else, and nothing kept.
int fail_allocations(const fuzz::Target& target, const Input& input) {
  int tried = 0;
  for (std::int64_t index = 0;; index += 1 + index / 16) {
    fuzz::fail_allocation(index);
    try {
      target.run(input.bytes);
    } catch (const std::exception& error) {
      fuzz::fail_allocation(-1);
      FAIL_CHECK(input.path, ": allocation ", index, " fails: ", std::string(error.what()));
      return tried;
    }
    const bool failed = fuzz::allocation_failed();
    const std::string outcome(fuzz::last_outcome());
    fuzz::fail_allocation(-1);
    if (!failed) return tried;
    ++tried;
    if (outcome != "out_of_memory") {
      FAIL_CHECK(input.path, ": allocation ", index, " fails: expected out_of_memory, found ", outcome);
      return tried;
    }
  }
}

}  // namespace

TEST_CASE("every input of the corpus ends as its folder says") {
  std::set<std::string> with_target;
  for (const fuzz::Target& target : fuzz::targets()) {
    with_target.emplace(target.name);
    std::size_t accepted = 0, refused = 0;
    for (const Input& input : inputs_of(target.name)) {
      CAPTURE(input.path);
      const std::string found = outcome_of(target, input.bytes);
      CHECK_MESSAGE(is_expected(input.outcome, found), input.path, ": expected ", input.outcome, ", found ", found, " ",
                    fuzz::last_message());
      ++(found == "accepted" ? accepted : refused);
    }
    MESSAGE(target.name, ": ", accepted, " accepted, ", refused, " refused");
    CHECK_MESSAGE(accepted > 0, target.name, ": expected inputs that are accepted, found none");
  }
  for (const auto& folder : fs::directory_iterator(kCorpus)) {
    const std::string name = folder.path().filename().string();
    CHECK_MESSAGE(with_target.contains(name), name, ": a corpus without a target");
  }
}

TEST_CASE("an allocation that fails ends in out_of_memory, whichever it is, and nothing is kept") {
  for (const fuzz::Target& target : fuzz::targets()) {
    int tried = 0;
    for (const Input& input : inputs_of(target.name)) tried += fail_allocations(target, input);
    CHECK_MESSAGE(tried > 0, target.name, ": expected allocations to fail, found none");
  }
}

TEST_CASE("what mutation breaks of lengths and hashes, a repair makes right again") {
  for (const fuzz::Target& target : fuzz::targets()) {
    if (target.repair == nullptr) continue;
    for (const Input& input : inputs_of(target.name)) {
      if (input.outcome != "accepted") continue;
      CAPTURE(input.path);
      std::string damaged = input.bytes;
      const std::size_t hash = damaged.find(kHashField);
      char& byte = damaged[hash == damaged.npos ? 0 : hash + kHashField.size()];
      byte = byte == '0' ? '1' : '0';
      CHECK(outcome_of(target, damaged) != "accepted");
      target.repair(damaged);
      CHECK(outcome_of(target, damaged) == "accepted");
    }
  }
}

TEST_CASE("a repair leaves a shape that is no list as it is") {
  for (const std::string shape : {"4", R"({"a":4})", R"("4")", "null"}) {
    const std::string header = R"({"__metadata__":{"sha256":""},"w":{"dtype":"F32","shape":)" + shape + "}}";
    for (const auto repair : {fuzz::repair_safetensors, fuzz::repair_sealed, fuzz::repair_session}) {
      std::string bytes = std::string(8, '\0') + header;
      bytes[0] = static_cast<char>(header.size());
      CAPTURE(header);
      REQUIRE_NOTHROW(repair(bytes));
      CHECK(bytes.find(R"("shape":)" + shape) != bytes.npos);
      CHECK(bytes.find("data_offsets") == bytes.npos);
    }
  }
}
