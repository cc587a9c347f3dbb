// PromptTemplate: what stands around a text before a model sees it, and what one document of its domain is.
// The part "template" of a bundle; it holds no text of a user.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vitrine {

enum class DocumentUnit {
  line,    ///< every line, its newline included, is a document
  stream,  ///< a whole file is one document
};

struct PromptTemplate {
  std::string begin;  ///< content of the special token before every document; empty: none
  DocumentUnit unit = DocumentUnit::line;

  bool operator==(const PromptTemplate&) const = default;
};

/// Throws bad_json, unsupported_format for another version, bad_manifest for anything else.
PromptTemplate parse_template(std::string_view json_text);
std::string write_template(const PromptTemplate& prompt_template);

/// The documents of a text; they share its memory and together are the whole of it.
std::vector<std::string_view> split_documents(std::string_view text, DocumentUnit unit);

}  // namespace vitrine
