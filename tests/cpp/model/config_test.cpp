#include "model/config.hpp"

#include <doctest/doctest.h>

#include <string>

#include "base/json.hpp"
#include "model/parameters.hpp"
#include "support/expect_error.hpp"
#include "support/tiny_model.hpp"

namespace vitrine {
namespace {

/// The text of a valid config.json with one field replaced, or removed when the value is null.
std::string with(const std::string& field, const Json& value) {
  Json json = parse_json(write_config(test::tiny_config()), "test");
  if (value.is_null()) {
    json.erase(field);
  } else {
    json[field] = value;
  }
  return json_text(json);
}

TEST_CASE("a configuration survives being written and read, with every field other than its default") {
  ModelConfig config = test::tiny_config();
  config.rope_theta = 12345.5;
  config.rope_pairing = kernels::RopePairing::adjacent;
  config.norm_eps = 3e-6;
  config.tied_head = false;
  config.bos_token = 3;
  config.eos_token = 4;
  CHECK(parse_config(write_config(config)) == config);
  CHECK(parse_config(write_config(test::tiny_config())) == test::tiny_config());
}

TEST_CASE("a number is written as it is said, not as the float that comes of it") {
  CHECK(write_config(test::tiny_config()).find("\"rms_norm_eps\": 1e-05,") != std::string::npos);
  CHECK_ERROR(ErrorCode::bad_config, "rms_norm_eps", parse_config(with("rms_norm_eps", 1e-60)));
  CHECK_ERROR(ErrorCode::bad_config, "rms_norm_eps", parse_config(with("rms_norm_eps", 1e60)));
}

TEST_CASE("Hugging Face's defaults are taken where a Llama config leaves a field out") {
  CHECK(parse_config(with("num_key_value_heads", nullptr)).n_kv_heads == 6);
  CHECK(parse_config(with("rope_theta", nullptr)).rope_theta == 10000.0);
  CHECK_FALSE(parse_config(with("tie_word_embeddings", nullptr)).tied_head);
  // Most Llama configurations say that they have no scaling.
  CHECK(parse_config(write_config(test::tiny_config()).replace(0, 1, "{\"rope_scaling\":null,")) ==
        test::tiny_config());
  CHECK_ERROR(ErrorCode::bad_config, "hidden_size: expected a multiple of num_attention_heads 6, found 22",
              parse_config(with("head_dim", nullptr)));
}

TEST_CASE("a field that is absent, of another type, out of range or unknown is refused by name") {
  for (const char* field : {"vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers",
                            "num_attention_heads", "max_position_embeddings", "rms_norm_eps"}) {
    CHECK_ERROR(ErrorCode::bad_config, field, parse_config(with(field, nullptr)));
    CHECK_ERROR(ErrorCode::bad_config, field, parse_config(with(field, "eight")));
    CHECK_ERROR(ErrorCode::bad_config, field, parse_config(with(field, -1)));
  }
  CHECK_ERROR(ErrorCode::bad_config, "hidden_size", parse_config(with("hidden_size", 1 << 21)));
  CHECK_ERROR(ErrorCode::bad_config, "hidden_size", parse_config(with("hidden_size", 22.5)));
  CHECK_ERROR(ErrorCode::bad_config, "n_heads", parse_config(with("n_heads", 8)));
  CHECK_ERROR(ErrorCode::bad_config, "num_key_value_heads 4", parse_config(with("num_key_value_heads", 4)));
  CHECK_ERROR(ErrorCode::bad_config, "head_dim: expected an even number", parse_config(with("head_dim", 5)));
  CHECK_ERROR(ErrorCode::bad_config, "rope_theta", parse_config(with("rope_theta", 0)));
  CHECK_ERROR(ErrorCode::bad_config, "bos_token_id", parse_config(with("bos_token_id", 37)));
}

TEST_CASE("what an architecture asks for and this one does not have is named as unsupported") {
  CHECK_ERROR(ErrorCode::unsupported_format, "model_type: expected \"llama\", found \"gpt2\"",
              parse_config(with("model_type", "gpt2")));
  CHECK_ERROR(ErrorCode::unsupported_format, "hidden_act: expected \"silu\", found \"gelu\"",
              parse_config(with("hidden_act", "gelu")));
  CHECK_ERROR(ErrorCode::unsupported_format, "attention_bias: expected false, found true",
              parse_config(with("attention_bias", true)));
  CHECK_ERROR(ErrorCode::unsupported_format, "rope_scaling: expected none, found an object",
              parse_config(with("rope_scaling", {{"factor", 2}})));
}

TEST_CASE("a model too large for the machine is an error, never a wrap-around") {
  ModelConfig config = test::tiny_config();
  config.d_model = config.vocab_size = config.d_ff = std::size_t{1} << 20;
  config.n_layers = 1024;
  config.max_seq_len = std::size_t{1} << 20;
  config.head_dim = std::size_t{1} << 16;
  CHECK_ERROR(ErrorCode::out_of_memory, "", KvCache(config.kv_shape()));
  CHECK_ERROR(ErrorCode::out_of_memory, "", Parameters(config));
}

TEST_CASE("parameters are counted from the shapes") {
  // Embedding, then two blocks of two norms, q k v o and three matrices of the MLP, then the last norm.
  const std::uint64_t block = 2 * 22 + 22 * (36 + 12 + 12) + 36 * 22 + 3 * 22 * 27;
  CHECK(test::tiny_config().parameter_count() == 37 * 22 + 2 * block + 22);
}

}  // namespace
}  // namespace vitrine
