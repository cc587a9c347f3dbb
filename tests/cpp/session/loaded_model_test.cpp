#include "session/loaded_model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "io/tokenizer_json.hpp"
#include "support/expect_error.hpp"
#include "support/tiny_bundle.hpp"

namespace vitrine {
namespace {

using test::tiny_bundle;
using test::tiny_content;

/// The same tensors, one of them beginning with `value`.
NamedTensors with_value(const NamedTensors& tensors, std::string_view changed, float value) {
  NamedTensors copies;
  for (const auto& [name, tensor] : tensors) {
    Tensor& copy = copies.insert(tensor);
    if (name == changed) copy.data[0] = value;
  }
  return copies;
}

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
  CHECK_ERROR(ErrorCode::self_test_failed, "manifest.json: self_test", load_model(bundle));
  bundle.manifest.self_test.reset();
  CHECK_NOTHROW(load_model(bundle));
}

TEST_CASE("a self-test that this model cannot run is the manifest's fault, by name") {
  Bundle bundle = tiny_bundle();
  bundle.manifest.self_test->tokens.assign(65, 1);
  CHECK_ERROR(ErrorCode::bad_manifest, "manifest.json: self_test: tokens: expected at most the 64 of the context",
              load_model(bundle));
  bundle.manifest.self_test->tokens = {1, 263};
  CHECK_ERROR(ErrorCode::bad_manifest, "manifest.json: self_test: tokens: expected ids below 263, found 263",
              load_model(bundle));
}

TEST_CASE("weights that are no numbers are refused by name, and so is a model that makes none of its weights") {
  for (const float value : {std::numeric_limits<float>::infinity(), std::nanf("")}) {
    BundleContent content = tiny_content();
    content.weights = with_value(content.weights, "model.layers.1.mlp.up_proj.weight", value);
    CHECK_ERROR(ErrorCode::not_finite, "model.safetensors: \"model.layers.1.mlp.up_proj.weight\"",
                make_bundle(content));
  }
  BundleContent content = tiny_content();
  content.weights = with_value(content.weights, "model.norm.weight", 3e38f);
  CHECK_ERROR(ErrorCode::not_finite, "manifest.json: self_test: expected finite logits", make_bundle(content));
}

TEST_CASE("a further part stands beside the model's own, and takes no name or file of theirs") {
  BundleContent content = tiny_content();
  content.corpus["source"] = "by hand";
  content.extra_parts = {{"licence", "LICENSE.txt", "do as you like"}};
  const Bundle bundle = make_bundle(content);
  CHECK(bundle.part("licence") == "do as you like");
  CHECK(bundle.manifest.corpus.value()["source"] == "by hand");
  CHECK(load_model(bundle).manifest.parts.size() == 6);
  for (const std::string_view taken : kRequiredParts) {
    content.extra_parts = {{std::string(taken), "other.bin", ""}};
    CHECK_ERROR(ErrorCode::invalid_option, std::string(taken), label_bundle(content));
  }
  content.extra_parts = {{"a", "a.txt", ""}, {"a", "b.txt", ""}};
  CHECK_ERROR(ErrorCode::invalid_option, "found \"a\"", label_bundle(content));
  content.extra_parts = {{"weights_2", "model.safetensors", ""}};
  CHECK_ERROR(ErrorCode::invalid_option, "every name and file once", label_bundle(content));
  content.extra_parts = {{"Weights", "x.txt", ""}};
  CHECK_ERROR(ErrorCode::invalid_option, "lower-case", label_bundle(content));
  content.extra_parts = {{"x", "a b.txt", ""}};
  CHECK_ERROR(ErrorCode::invalid_option, "plain file name", label_bundle(content));
  content.extra_parts.clear();
  content.corpus = Json::array();
  CHECK_ERROR(ErrorCode::invalid_option, "corpus", label_bundle(content));
  content.corpus = {{"text", std::string(std::size_t{1} << 20, 'x')}};
  CHECK_ERROR(ErrorCode::invalid_option, "", label_bundle(content));
  content.corpus = {{"text", std::string((std::size_t{1} << 20) - 5000, 'x')}};
  CHECK_ERROR(ErrorCode::invalid_option, "corpus: expected at most about", label_bundle(content));
  content = tiny_content();
  content.name = "\xff";
  CHECK_ERROR(ErrorCode::invalid_option, "UTF-8", label_bundle(content));
}

TEST_CASE("a short context still leaves the rows that the parity check needs") {
  BundleContent content = tiny_content();
  content.config.max_seq_len = 8;
  CHECK(load_model(make_bundle(content)).transformer.options().max_batch_rows == 16);
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
  CHECK_ERROR(ErrorCode::bad_manifest, "manifest.json: self_test: tokens", make_bundle(content));
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
