// A folder as a bundle: what is accepted has every part verified and writes back equal, and the model that it makes
// keeps the contract whatever its weights are: cached logits equal full-prefix logits bit for bit.
#include "io/bundle.hpp"

#include "generate/parity.hpp"
#include "session/loaded_model.hpp"
#include "support/folder_input.hpp"
#include "support/repair.hpp"
#include "support/target.hpp"

using namespace vitrine;

namespace {

/// What a model may take beside its files: workspace and a cache, which the context's length decides.
constexpr std::uint64_t kModelBytes = std::uint64_t{8} << 20;
constexpr fuzz::MemoryBound kBound = {2 * kModelBytes, 256};

void check_written(const Bundle& bundle) {
  fuzz::Files files;
  files[std::string(kManifestFile)] = write_manifest(bundle.manifest);
  for (const ManifestPart& part : bundle.manifest.parts) files[part.file] = bundle.part(part.name);
  const Bundle again = bundle_from_memory(files);
  VITRINE_PROMISE(again.bytes_by_part == bundle.bytes_by_part, "parts read back");
  VITRINE_PROMISE(write_manifest(again.manifest) == write_manifest(bundle.manifest), "the manifest reads back");
}

void check_parity_of(LoadedModel& model) {
  std::vector<TokenId> tokens = model.encode_prompt("git commit");
  tokens.resize(std::min({tokens.size(), std::size_t{7}, model.transformer.config().max_seq_len}));
  try {
    const ParityReport report = check_parity(model.transformer, tokens);
    VITRINE_PROMISE(report.logits_compared() > 0 && report.differing_bits() == 0,
                    "cached logits equal full-prefix logits");
  } catch (const Error& error) {
    VITRINE_PROMISE(error.code() == ErrorCode::not_finite, error.message());
  }
}

}  // namespace

VITRINE_FUZZ_TARGET(bundle, fuzz::repair_bundle) {
  const auto bundle = fuzz::attempt(input, kBound, [&] { return bundle_from_memory(fuzz::read_folder_input(input)); });
  if (!bundle) return;
  check_written(*bundle);
  auto model = fuzz::attempt(input, kBound, [&] {
    return load_model(*bundle, {.max_batch_rows = 0, .threads = 1, .max_bytes = kModelBytes});
  });
  if (model) check_parity_of(*model);
}
