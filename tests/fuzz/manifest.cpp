// Bytes as a manifest.json: what is accepted keeps every member, names plain files only, and writes back equal.
#include "io/manifest.hpp"

#include <set>

#include "base/sha256.hpp"
#include "support/target.hpp"

using namespace vitrine;

namespace {

void check_parts(const Manifest& manifest) {
  std::set<std::string> names, files;
  for (const ManifestPart& part : manifest.parts) {
    VITRINE_PROMISE(names.insert(part.name).second && files.insert(part.file).second, "every name and file once");
    VITRINE_PROMISE(is_plain_file_name(part.file) && part.file.find('/') == part.file.npos, "plain file names");
    VITRINE_PROMISE(is_sha256_hex(part.sha256), "hashes");
  }
  for (const std::string_view part : kRequiredParts) VITRINE_PROMISE(names.contains(std::string(part)), "required");
}

/// Every member of the text, whatever its order, and nothing beside it.
void check_members(const Json& text, const Manifest& manifest) {
  VITRINE_PROMISE(text.at("name") == manifest.name && text.at("model_version") == manifest.model_version, "names");
  VITRINE_PROMISE(text.at("parts").size() == manifest.parts.size(), "parts");
  for (std::size_t i = 0; i < manifest.parts.size(); ++i) {
    const Json& part = text.at("parts").at(i);
    const ManifestPart& found = manifest.parts[i];
    VITRINE_PROMISE(part.at("name") == found.name && part.at("file") == found.file && part.at("bytes") == found.bytes &&
                        part.at("sha256") == found.sha256,
                    "a part");
  }
  VITRINE_PROMISE(text.contains("self_test") == manifest.self_test.has_value(), "self_test");
  if (manifest.self_test) {
    VITRINE_PROMISE(text.at("self_test").at("tokens") == manifest.self_test->tokens, "tokens");
    VITRINE_PROMISE(text.at("self_test").at("logits_sha256") == manifest.self_test->logits_sha256, "hash");
  }
  VITRINE_PROMISE(text.value("corpus", Json::object()) == manifest.corpus.value(), "corpus");
  VITRINE_PROMISE(text.value("training", Json::object()) == manifest.training.value(), "training");
  VITRINE_PROMISE(text.value("held_out", Json::object()) == manifest.held_out.value(), "held_out");
}

}  // namespace

VITRINE_FUZZ_TARGET(manifest, nullptr) {
  const auto manifest = fuzz::attempt(input, {}, [&] { return parse_manifest(input); });
  if (!manifest) return;
  check_parts(*manifest);
  check_members(parse_json(input, "input"), *manifest);
  const std::string written = write_manifest(*manifest);
  const Manifest again = parse_manifest(written);
  check_members(parse_json(input, "input"), again);
  VITRINE_PROMISE(write_manifest(again) == written, "equal manifests give equal text");
}
