#include "session/loaded_model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

#include "io/tokenizer_json.hpp"
#include "support/expect_error.hpp"
#include "support/tiny_bundle.hpp"

namespace vitrine {
namespace {

using test::tiny_bundle;
using test::tiny_content;

TEST_CASE("a bundle that was made loads, and its self-test passes") {
  const LoadedModel model = load_model(tiny_bundle());
  CHECK(model.manifest.name == "tiny");
  CHECK(model.transformer.config() == tiny_content().config);
  CHECK(model.transformer.options().max_batch_rows == 64);
  CHECK(model.default_policy == tiny_content().policy);
  CHECK(model.begin_token == 262);
  REQUIRE(model.manifest.self_test.has_value());
  CHECK(model.manifest.self_test->logits_sha256.size() == 64);
}

TEST_CASE("the same content gives the same bytes of a bundle") {
  const Bundle a = tiny_bundle(), b = tiny_bundle();
  CHECK(write_manifest(a.manifest) == write_manifest(b.manifest));
  CHECK(a.bytes_by_part == b.bytes_by_part);
}

TEST_CASE("weights that are not those of the self-test do not serve") {
  Bundle bundle = tiny_bundle();
  const Bundle other = tiny_bundle(4);
  bundle.set_part("weights", "model.safetensors", other.part("weights"));
  CHECK_ERROR(ErrorCode::self_test_failed, "self-test", load_model(bundle));
  bundle.manifest.self_test.reset();
  CHECK_NOTHROW(load_model(bundle));
}

TEST_CASE(
    "a tokenizer with a merge turned round or two tokens exchanged is not the bundle's, and is refused by its part") {
  const Bundle bundle = tiny_bundle();
  const std::string& tokenizer = bundle.part("tokenizer");
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = tokenizer;
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
    // It is a good tokenizer.json by itself: nothing but the hash tells it from the right one.
    REQUIRE(text.size() == tokenizer.size());
    REQUIRE_NOTHROW(Tokenizer(read_tokenizer_json(text)));
    return text;
  };
  for (const std::string& text :
       {changed("\"m m\",\"i t\"", "\"i t\",\"m m\""), changed("\"mm\":258,\"it\":259", "\"it\":258,\"mm\":259")}) {
    std::map<std::string, std::string> files = test::bundle_files(bundle);
    files["tokenizer.json"] = text;
    CHECK_ERROR(ErrorCode::part_mismatch, "tokenizer", bundle_from_memory(files));
  }
}

TEST_CASE("parts that do not fit together are refused by name") {
  BundleContent content = tiny_content();
  content.tokenizer = test::small_tokenizer_data({}, {std::string(test::kTinyBegin)}, PreTokenizer::gpt2);
  CHECK_ERROR(ErrorCode::bad_tokenizer, "expected the 263 tokens of the architecture, found 257", make_bundle(content));
  content = tiny_content();
  content.prompt_template.begin = "<|start|>";
  CHECK_ERROR(ErrorCode::bad_tokenizer, "<|start|>", make_bundle(content));
  content = tiny_content();
  content.self_test_tokens.clear();
  CHECK_ERROR(ErrorCode::bad_manifest, "self-test", make_bundle(content));
  content = tiny_content();
  content.policy.seed = 1;
  CHECK_ERROR(ErrorCode::invalid_option, "seed", make_bundle(content));
  Bundle bundle = tiny_bundle();
  bundle.bytes_by_part.erase("template");
  CHECK_ERROR(ErrorCode::bad_manifest, "template", load_model(bundle));
}

TEST_CASE("a prompt begins with the begin token, and its text never becomes one") {
  const LoadedModel model = load_model(tiny_bundle());
  CHECK(model.encode_prompt("") == std::vector<TokenId>{262});
  const std::vector<TokenId> ids = model.encode_prompt("<|endoftext|>");
  CHECK(ids.size() > 1);
  CHECK(std::count(ids.begin(), ids.end(), 262) == 1);
  CHECK(model.text_bytes(262) == "");
  CHECK(model.text_bytes('g') == "g");
  CHECK(model.encode_documents("a\nb\n").size() == 2);
}

}  // namespace
}  // namespace vitrine
