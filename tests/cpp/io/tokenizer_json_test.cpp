// tokenizer.json: what we write we read, what others write we read, and what we do not support we name.
#include "io/tokenizer_json.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/byte_level.hpp"
#include "base/json.hpp"
#include "support/expect_error.hpp"
#include "support/small_tokenizers.hpp"
#include "tokenizer/tokenizer.hpp"

using namespace vitrine;

namespace {

TokenizerData sample(PreTokenizer kind = PreTokenizer::gpt2) {
  return test::small_tokenizer_data({{" ", "t"}, {" t", "h"}, {"\xC3", "\xBC"}}, {"<|endoftext|>", "<|a b|>"}, kind);
}

Json sample_json() { return parse_json(write_tokenizer_json(sample()), "sample"); }

/// What read_tokenizer_json does instead of refusing the sample after this change to its JSON; "" if it refuses.
template <class Change>
std::string refuses_after(ErrorCode code, const std::string& message, Change&& change) {
  Json json = sample_json();
  change(json);
  return test::other_than_error(code, message, [&] { read_tokenizer_json(json_text(json)); });
}

template <class Change>
std::string unsupported_after(const std::string& message, Change&& change) {
  return refuses_after(ErrorCode::unsupported_format, message, change);
}

template <class Change>
std::string bad_after(const std::string& message, Change&& change) {
  return refuses_after(ErrorCode::bad_tokenizer, message, change);
}

template <class Change>
bool equal_after(Change&& change) {
  Json json = sample_json();
  change(json);
  return read_tokenizer_json(json_text(json)) == sample();
}

const std::string kGpt2 = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

Json split_and_byte_level(const std::string& pattern, const std::string& behavior = "Isolated") {
  return Json{{"type", "Sequence"},
              {"pretokenizers",
               {{{"type", "Split"}, {"pattern", {{"Regex", pattern}}}, {"behavior", behavior}, {"invert", false}},
                {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", false}}}}};
}

}  // namespace

TEST_CASE("what is written is read back the same, under each pre-tokenizer") {
  for (const PreTokenizer kind : {PreTokenizer::none, PreTokenizer::gpt2}) {
    const std::string text = write_tokenizer_json(sample(kind));
    CHECK(read_tokenizer_json(text) == sample(kind));
    CHECK(write_tokenizer_json(read_tokenizer_json(text)) == text);
  }
}

TEST_CASE("the file has the form that Hugging Face's library reads") {
  const Json json = sample_json();
  CHECK(json["version"] == "1.0");
  CHECK(json["model"]["type"] == "BPE");
  CHECK(json["model"]["vocab"].size() == 261);
  CHECK(json["model"]["vocab"]["\xC4\xA0th"] == 257);  // U+0120 stands for the space
  CHECK(json["model"]["vocab"]["<|endoftext|>"] == 259);
  CHECK(json["model"]["merges"][0] == "\xC4\xA0 t");
  CHECK(json["added_tokens"][1]["content"] == "<|a b|>");
  CHECK(json["added_tokens"][1]["id"] == 260);
  CHECK(json["added_tokens"][1]["special"] == true);
  CHECK(json["pre_tokenizer"] ==
        Json{{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", true}});
  CHECK(json["decoder"]["type"] == "ByteLevel");
}

TEST_CASE(
    "files by other writers read the same: merges in pairs, missing defaults, special tokens beside the vocabulary") {
  CHECK(equal_after([](Json& json) {
    json["model"]["merges"] = Json::parse(R"([["\u0120", "t"], ["\u0120t", "h"], ["\u00C3", "\u00BC"]])");
  }));
  CHECK(equal_after([](Json& json) {
    for (const char* key : {"type", "dropout", "unk_token", "byte_fallback", "fuse_unk"}) json["model"].erase(key);
    for (const char* key : {"truncation", "padding", "normalizer", "post_processor", "version"}) json.erase(key);
    json["pre_tokenizer"].erase("use_regex");
  }));
  CHECK(equal_after([](Json& json) {
    json["model"]["unk_token"] = "<|endoftext|>";  // as GPT-2's file has it: no byte is ever unknown
    json["model"]["continuing_subword_prefix"] = "";
    json["model"]["end_of_word_suffix"] = "";
    json["post_processor"] = {{"type", "ByteLevel"}, {"add_prefix_space", true}, {"trim_offsets", false}};
    json["added_tokens"][0]["normalized"] = true;
  }));
  CHECK(equal_after([](Json& json) {
    json["model"]["vocab"].erase("<|endoftext|>");
    json["model"]["vocab"].erase("<|a b|>");
  }));
  CHECK(equal_after([](Json& json) { json["pre_tokenizer"] = split_and_byte_level(kGpt2); }));
  Json without = parse_json(write_tokenizer_json(test::small_tokenizer_data()), "sample");
  without["added_tokens"] = nullptr;
  CHECK(read_tokenizer_json(json_text(without)) == test::small_tokenizer_data());
}

TEST_CASE("whatever would change tokens or text in a way that is not ours is refused by name") {
  CHECK(unsupported_after("tokenizer.json: normalizer: expected null, found an object", [](Json& json) {
          json["normalizer"] = {{"type", "NFC"}};
        }) == "");
  CHECK(unsupported_after("truncation: expected null", [](Json& json) {
          json["truncation"] = {{"max_length", 8}};
        }) == "");
  CHECK(unsupported_after("padding: expected null", [](Json& json) { json["padding"] = {{"pad_id", 0}}; }) == "");
  CHECK(unsupported_after("model: type: expected \"BPE\", found \"Unigram\"",
                          [](Json& json) { json["model"]["type"] = "Unigram"; }) == "");
  CHECK(unsupported_after("dropout: expected null", [](Json& json) { json["model"]["dropout"] = 0.1; }) == "");
  CHECK(unsupported_after("end_of_word_suffix: expected null",
                          [](Json& json) { json["model"]["end_of_word_suffix"] = "</w>"; }) == "");
  CHECK(unsupported_after("continuing_subword_prefix",
                          [](Json& json) { json["model"]["continuing_subword_prefix"] = "##"; }) == "");
  CHECK(unsupported_after("byte_fallback: expected false", [](Json& json) { json["model"]["byte_fallback"] = true; }) ==
        "");
  CHECK(unsupported_after("ignore_merges: expected false", [](Json& json) { json["model"]["ignore_merges"] = true; }) ==
        "");
  CHECK(unsupported_after("found \"novelty\"", [](Json& json) { json["model"]["novelty"] = 1; }) == "");
  CHECK(unsupported_after("found \"novelty\"", [](Json& json) { json["novelty"] = 1; }) == "");
  CHECK(unsupported_after("post_processor: type: expected \"ByteLevel\", found \"TemplateProcessing\"", [](Json& json) {
          json["post_processor"] = {{"type", "TemplateProcessing"}};
        }) == "");
  CHECK(unsupported_after("decoder: type", [](Json& json) { json["decoder"]["type"] = "WordPiece"; }) == "");
  CHECK(unsupported_after("decoder: expected an object, found null", [](Json& json) { json["decoder"] = nullptr; }) ==
        "");
}

TEST_CASE("a pre-tokenizer that is not one of ours is refused by name") {
  CHECK(unsupported_after("pre_tokenizer: expected an object", [](Json& json) { json["pre_tokenizer"] = nullptr; }) ==
        "");
  CHECK(unsupported_after("found \"Whitespace\"", [](Json& json) { json["pre_tokenizer"]["type"] = "Whitespace"; }) ==
        "");
  CHECK(unsupported_after("add_prefix_space: expected false, found true",
                          [](Json& json) { json["pre_tokenizer"]["add_prefix_space"] = true; }) == "");
  CHECK(unsupported_after("add_prefix_space: expected false, found nothing",  // its default is true
                          [](Json& json) { json["pre_tokenizer"].erase("add_prefix_space"); }) == "");
  CHECK(unsupported_after("pretokenizers[0]: pattern: Regex: expected GPT-2's pattern, found \"(a+)+$\"",
                          [](Json& json) { json["pre_tokenizer"] = split_and_byte_level("(a+)+$"); }) == "");
  CHECK(unsupported_after("behavior: expected \"Isolated\", found \"Removed\"",
                          [](Json& json) { json["pre_tokenizer"] = split_and_byte_level(kGpt2, "Removed"); }) == "");
  CHECK(unsupported_after("pretokenizers: expected a Split and a ByteLevel", [](Json& json) {
          json["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", Json::array()}};
        }) == "");
  CHECK(unsupported_after("use_regex: expected false after a Split", [](Json& json) {
          json["pre_tokenizer"] = split_and_byte_level(kGpt2);
          json["pre_tokenizer"]["pretokenizers"][1]["use_regex"] = true;
        }) == "");
}

TEST_CASE(
    "special tokens with spaces, line ends, a NUL or a byte order mark in them read back as written, and stay whole") {
  const std::string nul("<a\0b>", 5);
  const std::vector<std::string> contents = {"<|a b|>", " there my ",      "<\r\n>",
                                             nul,       "\xEF\xBB\xBF<s>", "\xF0\x9F\x98\x82 x"};
  const TokenizerData data = test::small_tokenizer_data({{" ", "t"}}, contents, PreTokenizer::gpt2);
  const TokenizerData found = read_tokenizer_json(write_tokenizer_json(data));
  CHECK(found == data);
  const Tokenizer tokenizer(found);
  for (const std::string& content : contents) {
    const std::string text = "x " + content + " y";
    const std::vector<TokenId> ids = tokenizer.encode_with_special(text);
    CHECK(std::count(ids.begin(), ids.end(), *tokenizer.special(content)) == 1);
    CHECK(tokenizer.decode(ids, SpecialDecoding::content) == text);  // no space beside it was eaten
    for (const TokenId id : tokenizer.encode(text)) CHECK_FALSE(tokenizer.is_special(id));
  }
}

TEST_CASE("a file with CRLF line ends reads the same") {
  std::string indented = json_text(sample_json(), 2);
  for (std::size_t at = indented.find('\n'); at != std::string::npos; at = indented.find('\n', at + 2)) {
    indented.insert(at, "\r");
  }
  CHECK(read_tokenizer_json(indented) == sample());
}

TEST_CASE("an added token that is no special token or eats its neighbours is refused by name") {
  for (const char* flag : {"lstrip", "rstrip", "single_word"}) {
    CHECK(unsupported_after(std::string("added_tokens[1]: ") + flag + ": expected false, found true",
                            [&](Json& json) { json["added_tokens"][1][flag] = true; }) == "");
  }
  CHECK(unsupported_after("added_tokens[0]: special: expected true, found false",
                          [](Json& json) { json["added_tokens"][0]["special"] = false; }) == "");
  CHECK(unsupported_after("added_tokens[0]: id", [](Json& json) { json["added_tokens"][0]["id"] = -1; }) == "");
  CHECK(unsupported_after("added_tokens[0]: content", [](Json& json) { json["added_tokens"][0].erase("content"); }) ==
        "");
}

TEST_CASE("entries that contradict each other are refused by name") {
  CHECK(bad_after("vocab: expected an object", [](Json& json) { json["model"]["vocab"] = 1; }) == "");
  CHECK(bad_after("vocab: \"!\": expected an id below", [](Json& json) { json["model"]["vocab"]["!"] = "33"; }) == "");
  CHECK(bad_after("vocab: \"!\": expected an id below", [](Json& json) { json["model"]["vocab"]["!"] = -1; }) == "");
  CHECK(bad_after("expected ids without a gap, below 261, found 261",
                  [](Json& json) { json["model"]["vocab"]["!"] = 261; }) == "");
  CHECK(bad_after("vocab: \"\\\"\": expected an id of its own, found 34, which is \"!\"",
                  [](Json& json) { json["model"]["vocab"]["!"] = 34; }) == "");
  CHECK(bad_after("\"<|endoftext|>\": expected id 259 as in added_tokens, found 260",
                  [](Json& json) { json["model"]["vocab"]["<|endoftext|>"] = 260; }) == "");
  CHECK(bad_after("expected a byte-level spelling or a special token", [](Json& json) {
          json["model"]["vocab"]["two words"] = 261;
          json["model"]["vocab"]["\xE4\xBD\xA0"] = 262;
        }) == "");
  CHECK(bad_after("merges[0]: expected two tokens", [](Json& json) { json["model"]["merges"][0] = "one"; }) == "");
  CHECK(bad_after("merges[0]: expected two tokens", [](Json& json) { json["model"]["merges"][0] = "a b c"; }) == "");
  CHECK(bad_after("merges[0]: expected two tokens", [](Json& json) { json["model"]["merges"][0] = {"a", 1}; }) == "");
  CHECK(bad_after("merges[1]: expected two tokens of the vocabulary, found \"zz\"",
                  [](Json& json) { json["model"]["merges"][1] = "a zz"; }) == "");
  CHECK(bad_after("merges[0]: expected two tokens of the vocabulary, found \"<|endoftext|>\"",
                  [](Json& json) { json["model"]["merges"][0] = "a <|endoftext|>"; }) == "");
}

TEST_CASE("text that is no JSON, or repeats a token, is refused with its place") {
  CHECK_ERROR(ErrorCode::bad_json, "folder/tokenizer.json: line 1", read_tokenizer_json("{", "folder/tokenizer.json"));
  std::string text = write_tokenizer_json(sample());
  text.insert(text.find("\"vocab\":{") + 9, "\"!\":33,");
  CHECK_ERROR(ErrorCode::bad_json, "twice", read_tokenizer_json(text));
  CHECK_ERROR(ErrorCode::unsupported_format, "expected an object", read_tokenizer_json("[]"));
}

TEST_CASE("a special token that is spelled like an ordinary one cannot be written") {
  const auto refuses_special = [](const std::string& content) {
    const TokenizerData data = test::small_tokenizer_data({{" ", "a"}}, {content});
    return test::other_than_error(ErrorCode::bad_tokenizer, "expected another spelling",
                                  [&] { write_tokenizer_json(data); });
  };
  CHECK(refuses_special("a") == "");
  CHECK(refuses_special(to_byte_level(" a")) == "");
}
