// Reading and writing of template.json, version 1.
#include "session/prompt_template.hpp"

#include "base/check.hpp"
#include "base/json.hpp"

namespace vitrine {
namespace {

constexpr std::string_view kWhere = "template.json";
constexpr std::int64_t kTemplateVersion = 1;

}  // namespace

PromptTemplate parse_template(std::string_view json_text) {
  const JsonDocument json = parse_json(json_text, kWhere);
  JsonObjectReader reader(json, std::string(kWhere), ErrorCode::bad_manifest);
  const std::int64_t version = reader.integer("version", 1, 1'000'000);
  VITRINE_CHECK(version == kTemplateVersion, ErrorCode::unsupported_format, kWhere, ": version: expected ",
                kTemplateVersion, ", found ", version);
  PromptTemplate result;
  result.begin = reader.optional_string("begin").value_or("");
  const std::string unit = reader.string("unit");
  if (unit != "line" && unit != "stream") reader.refuse("unit", "\"line\" or \"stream\"");
  result.unit = unit == "line" ? DocumentUnit::line : DocumentUnit::stream;
  reader.finish();
  return result;
}

std::string write_template(const PromptTemplate& prompt_template) {
  Json json = Json::object();
  json["version"] = kTemplateVersion;
  if (!prompt_template.begin.empty()) json["begin"] = prompt_template.begin;
  json["unit"] = prompt_template.unit == DocumentUnit::line ? "line" : "stream";
  return json_text(json, 2) + "\n";
}

std::vector<std::string_view> split_documents(std::string_view text, DocumentUnit unit) {
  std::vector<std::string_view> documents;
  while (!text.empty()) {
    const std::size_t newline = unit == DocumentUnit::line ? text.find('\n') : std::string_view::npos;
    const std::size_t size = newline == std::string_view::npos ? text.size() : newline + 1;
    documents.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return documents;
}

}  // namespace vitrine
