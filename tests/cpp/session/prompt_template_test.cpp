#include "session/prompt_template.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/expect_error.hpp"

namespace vitrine {
namespace {

TEST_CASE("a template reads back as it was written") {
  for (const PromptTemplate& written :
       {PromptTemplate{"<|endoftext|>", DocumentUnit::line}, PromptTemplate{"", DocumentUnit::stream}}) {
    CHECK(parse_template(write_template(written)) == written);
  }
}

TEST_CASE("a template that is not understood is refused by name") {
  CHECK_ERROR(ErrorCode::unsupported_format, "version", parse_template(R"({"version": 2, "unit": "line"})"));
  CHECK_ERROR(ErrorCode::bad_manifest, "version", parse_template(R"({"unit": "line"})"));
  CHECK_ERROR(ErrorCode::bad_manifest, "unit", parse_template(R"({"version": 1})"));
  CHECK_ERROR(ErrorCode::bad_manifest, "unit", parse_template(R"({"version": 1, "unit": "page"})"));
  CHECK_ERROR(ErrorCode::bad_manifest, "end", parse_template(R"({"version": 1, "unit": "line", "end": ""})"));
  CHECK_ERROR(ErrorCode::bad_manifest, "begin", parse_template(R"({"version": 1, "unit": "line", "begin": 3})"));
  CHECK_ERROR(ErrorCode::bad_json, "template.json", parse_template("{"));
}

TEST_CASE("documents are lines with their newlines, or the whole") {
  using Documents = std::vector<std::string_view>;
  CHECK(split_documents("a\nbc\n", DocumentUnit::line) == Documents{"a\n", "bc\n"});
  CHECK(split_documents("a\n\nb", DocumentUnit::line) == Documents{"a\n", "\n", "b"});
  CHECK(split_documents("", DocumentUnit::line).empty());
  CHECK(split_documents("\n", DocumentUnit::line) == Documents{"\n"});
  CHECK(split_documents("a\r\nb", DocumentUnit::line) == Documents{"a\r\n", "b"});
  CHECK(split_documents("a\nb\n", DocumentUnit::stream) == Documents{"a\nb\n"});
  CHECK(split_documents("", DocumentUnit::stream).empty());
}

}  // namespace
}  // namespace vitrine
