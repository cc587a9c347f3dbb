// Reading and writing of manifest.json, version 1. The format is described in docs/formats.md.
#include "io/manifest.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "base/sha256.hpp"

namespace vitrine {
namespace {

constexpr std::int64_t kManifestVersion = 1;
constexpr std::size_t kMaxParts = 64;
constexpr std::size_t kMaxSelfTestTokens = 1024;  // a model runs over them before it serves
// The largest integer that JavaScript, which reads the same manifest, holds exactly.
constexpr std::uint64_t kMaxPartBytes = (std::uint64_t{1} << 53) - 1;

constexpr std::string_view kLower = "abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view kUpper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view kDigits = "0123456789";

bool made_of(std::string_view text, std::string_view allowed) {
  return text.find_first_not_of(allowed) == std::string_view::npos;
}

std::string read_hash(JsonObjectReader& reader, std::string_view key) {
  std::string hash = reader.string(key);
  if (!is_sha256_hex(hash)) reader.refuse(key, "64 lower-case hexadecimal digits");
  return hash;
}

ManifestPart read_part(const Json& value, std::size_t index) {
  JsonObjectReader reader(value, str(kManifestFile, ": parts[", index, "]"), ErrorCode::bad_manifest);
  ManifestPart part;
  part.name = reader.string("name");
  const bool named = !part.name.empty() && part.name.size() <= 40 && made_of(part.name, str(kLower, kDigits, "_"));
  if (!named) reader.refuse("name", "1 to 40 lower-case letters, digits and underscores");
  part.file = reader.string("file");
  if (!is_plain_file_name(part.file)) reader.refuse("file", "a plain file name");
  if (part.file == kManifestFile) reader.refuse("file", "a file other than the manifest itself");
  part.bytes = reader.unsigned_integer("bytes", 0, kMaxPartBytes);
  part.sha256 = read_hash(reader, "sha256");
  reader.finish();
  return part;
}

std::vector<ManifestPart> read_parts(const Json& array) {
  VITRINE_CHECK(array.size() <= kMaxParts, ErrorCode::bad_manifest, kManifestFile, ": parts: expected at most ",
                kMaxParts, ", found ", array.size());
  std::vector<ManifestPart> parts;
  for (const Json& value : array) {
    ManifestPart part = read_part(value, parts.size());
    for (const ManifestPart& other : parts) {
      VITRINE_CHECK(part.name != other.name && part.file != other.file, ErrorCode::bad_manifest, kManifestFile,
                    ": parts: expected every name and file once, found ", part.name, " (", part.file, ") beside ",
                    other.name, " (", other.file, ")");
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

SelfTestVector read_self_test(JsonObjectReader reader) {
  SelfTestVector self_test;
  for (const std::int64_t token : reader.integers("tokens", 0, INT32_MAX)) {
    self_test.tokens.push_back(static_cast<TokenId>(token));
  }
  if (self_test.tokens.empty() || self_test.tokens.size() > kMaxSelfTestTokens) {
    reader.refuse("tokens", str("1 to ", kMaxSelfTestTokens, " token ids"));
  }
  self_test.logits_sha256 = read_hash(reader, "logits_sha256");
  reader.finish();
  return self_test;
}

Json read_free_object(JsonObjectReader& reader, std::string_view key) {
  if (!reader.has(key)) return Json::object();
  const Json& value = reader.value(key);
  if (!value.is_object()) reader.refuse(key, "an object");
  return value;
}

}  // namespace

bool is_plain_file_name(std::string_view name) {
  return !name.empty() && name.size() <= 100 && name.front() != '.' &&
         made_of(name, str(kLower, kUpper, kDigits, "._-"));
}

const ManifestPart* Manifest::find(std::string_view part) const {
  const auto place = std::find_if(parts.begin(), parts.end(), [&](const ManifestPart& p) { return p.name == part; });
  return place == parts.end() ? nullptr : &*place;
}

const ManifestPart& Manifest::require(std::string_view part) const {
  const ManifestPart* found = find(part);
  VITRINE_CHECK(found != nullptr, ErrorCode::bad_manifest, kManifestFile, ": parts: expected a part ", part,
                ", found none of that name");
  return *found;
}

Manifest parse_manifest(std::string_view text) {
  const JsonDocument json = parse_json(text, kManifestFile, {kMaxManifestBytes, 100'000, 32});
  JsonObjectReader reader(json, std::string(kManifestFile), ErrorCode::bad_manifest);
  if (reader.string("format") != kBundleFormat) reader.refuse("format", in_quotes(kBundleFormat));
  const std::int64_t version = reader.integer("version", 0, INT32_MAX);
  VITRINE_CHECK(version == kManifestVersion, ErrorCode::unsupported_format, kManifestFile, ": version: expected ",
                kManifestVersion, ", found ", version);
  Manifest manifest;
  manifest.name = reader.string("name");
  manifest.model_version = reader.string("model_version");
  manifest.parts = read_parts(reader.array("parts"));
  if (auto self_test = reader.optional_object("self_test")) manifest.self_test = read_self_test(*std::move(self_test));
  manifest.corpus = read_free_object(reader, "corpus");
  manifest.training = read_free_object(reader, "training");
  manifest.held_out = read_free_object(reader, "held_out");
  reader.finish();
  for (const std::string_view part : kRequiredParts) manifest.require(part);
  return manifest;
}

std::string write_manifest(const Manifest& manifest) {
  Json json = Json::object();
  json["format"] = kBundleFormat;
  json["version"] = kManifestVersion;
  json["name"] = manifest.name;
  json["model_version"] = manifest.model_version;
  json["parts"] = Json::array();
  for (const ManifestPart& part : manifest.parts) {
    Json entry = Json::object();
    entry["name"] = part.name;
    entry["file"] = part.file;
    entry["bytes"] = part.bytes;
    entry["sha256"] = part.sha256;
    json["parts"].push_back(std::move(entry));
  }
  if (manifest.self_test) {
    Json self_test = Json::object();
    self_test["tokens"] = manifest.self_test->tokens;
    self_test["logits_sha256"] = manifest.self_test->logits_sha256;
    json["self_test"] = std::move(self_test);
  }
  json["corpus"] = manifest.corpus;
  json["training"] = manifest.training;
  json["held_out"] = manifest.held_out;
  std::string text = json_text(json, 2) + "\n";
  parse_manifest(text);
  return text;
}

void verify_part_size(const Manifest& manifest, std::string_view part, std::uint64_t bytes) {
  const ManifestPart& expected = manifest.require(part);
  VITRINE_CHECK(bytes == expected.bytes, ErrorCode::part_mismatch, "bundle ", in_quotes(manifest.name), ": part ", part,
                " (", expected.file, "): expected ", expected.bytes, " bytes, found ", bytes);
}

void verify_part(const Manifest& manifest, std::string_view part, std::string_view bytes) {
  verify_part_size(manifest, part, bytes.size());
  const ManifestPart& expected = manifest.require(part);
  const std::string found = sha256_hex(bytes);
  VITRINE_CHECK(found == expected.sha256, ErrorCode::part_mismatch, "bundle ", in_quotes(manifest.name), ": part ",
                part, " (", expected.file, "): expected SHA-256 ", expected.sha256, ", found ", found);
}

}  // namespace vitrine
