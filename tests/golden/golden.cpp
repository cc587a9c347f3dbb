// Prints the hashes of everything that must have the same bits on every machine, as JSON:
//   golden CASES [BUNDLE]       CASES: cases.json; BUNDLE: a bundle's folder, for the set "shell"
// What they have to be stands in the JSON files beside this one: this program judges nothing.
#include <cstdio>
#include <exception>
#include <string>

#include "io/atomic_file.hpp"
#include "kernels/simd.hpp"
#include "sets.hpp"

namespace {

using namespace vitrine;

std::string compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

Json all_hashes(const std::string& cases_path, const std::string& bundle_path) {
  const Json cases = parse_json(read_file(cases_path, std::uint64_t{1} << 20), cases_path);
  Json json = Json::object();
  json["build"] = {
      {"compiler", compiler()}, {"instructions", kernels::DefaultArch::name()}, {"lanes", kernels::kLanes<>}};
  json["kernels"] = golden::kernel_hashes();
  json["models"] = golden::model_hashes();
  Bundle trained;
  json["training"] = golden::training_hashes(trained);
  json["texts"] = golden::bundle_hashes(trained, cases);
  if (!bundle_path.empty()) json["shell"] = golden::bundle_hashes(read_bundle_folder(bundle_path), cases);
  return json;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::fputs("golden: expected CASES [BUNDLE]\n", stderr);
    return 2;
  }
  try {
    std::puts(json_text(all_hashes(argv[1], argc == 3 ? argv[2] : ""), 1).c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "golden: %s\n", error.what());
    return 1;
  }
}
