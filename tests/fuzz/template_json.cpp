// Bytes as a template.json: what is accepted writes back equal, and the bytes as a text split without loss.
#include "session/prompt_template.hpp"
#include "support/target.hpp"

using namespace vitrine;

VITRINE_FUZZ_TARGET(template_json, nullptr) {
  for (const DocumentUnit unit : {DocumentUnit::line, DocumentUnit::stream}) {
    std::string joined;
    for (const std::string_view document : split_documents(input, unit)) {
      VITRINE_PROMISE(!document.empty(), "no empty document");
      joined += document;
    }
    VITRINE_PROMISE(joined == input, "documents are the whole text");
  }
  const auto found = fuzz::attempt(input, {}, [&] { return parse_template(input); });
  if (!found) return;
  VITRINE_PROMISE(parse_template(write_template(*found)) == *found, "reads back");
}
