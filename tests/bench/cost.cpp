// What the contract of exactness costs: the same measurements of the kernels as they are and, compiled a second time
// with free_order.hpp as bench_cost_free, of kernels that may fuse and add in any order. Prints JSON; run-bench.mjs
// runs the two in turn and compares. Run it from the project's root. It asserts nothing.
#include <bit>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/sha256.hpp"
#include "bench/machine.hpp"
#include "io/bundle.hpp"
#include "kernels/attention.hpp"
#include "kernels/matmul.hpp"
#include "kernels/norm.hpp"
#include "session/loaded_model.hpp"

namespace {

using namespace vitrine;
using bench::random_floats;

constexpr const char* kBundle = "web/models/shell";

/// Work a second by name: `work` operations or tokens in each call.
template <class Function>
void measure(Json& json, const char* name, double work, Function function) {
  json[name] = work / bench::seconds(function);
}

/// y = x w^T with N rows, K inputs and M outputs, the weight packed beforehand; in multiply-adds.
void measure_matmul(Json& json, const char* name, std::size_t N, std::size_t K, std::size_t M) {
  const std::vector<float> x = random_floats(N * K, 1), w = random_floats(M * K, 2);
  std::vector<float> y(N * M), packed(kernels::packed_size<>(M, K));
  const std::size_t panels = kernels::panel_count<>(M);
  kernels::pack<>(w.data(), M, K, K, 1, packed.data(), 0, panels);
  measure(json, name, static_cast<double>(N * K * M), [&] {
    kernels::matmul<>({x.data(), K, 1}, packed.data(), y.data(), M, N, K, M, 0, panels, false);
  });
}

/// T tokens after `past` positions, two query heads to a key/value head; in multiply-adds.
void measure_attention(Json& json, const char* name, std::size_t past, std::size_t T, std::size_t D) {
  const std::size_t S = past + T, G = 2;
  const std::vector<float> q = random_floats(T * G * D, 3), k = random_floats(S * D, 4), v = random_floats(S * D, 5);
  std::vector<float> blocks(kernels::key_blocks_size(S, D)), weights(T * G * S), out(T * G * D);
  for (std::size_t s = 0; s < S; ++s) kernels::store_key(k.data() + s * D, s, blocks.data(), D);
  double work = 0.0;
  for (std::size_t t = 0; t < T; ++t) work += static_cast<double>(2 * G * (past + t + 1) * D);
  measure(json, name, work, [&] {
    kernels::attention_head<>({q.data(), G * D, T * G, G, past, D, blocks.data(), v.data(), D, 0.125f}, weights.data(),
                              S, out.data(), G * D);
  });
}

void measure_rows(Json& json) {
  const std::size_t n = 4096;
  const std::vector<float> x = random_floats(n, 6), y = random_floats(n, 7);
  std::vector<float> out(n);
  for (const auto& [name, count] : {std::pair{"softmax of 256", 256}, std::pair{"softmax of 4096", 4096}}) {
    measure(json, name, count,
            [&, size = static_cast<std::size_t>(count)] { kernels::softmax<>(x.data(), out.data(), size); });
  }
  for (const auto& [name, count] : {std::pair{"rms_norm of 160", 160}, std::pair{"rms_norm of 1024", 1024}}) {
    measure(json, name, count, [&, size = static_cast<std::size_t>(count)] {
      bench::sink = static_cast<double>(kernels::rms_norm<>(x.data(), y.data(), 1e-5f, out.data(), size));
    });
  }
  measure(json, "swiglu of 432", 432, [&] { kernels::swiglu<>(x.data(), y.data(), out.data(), 432); });
}

/// Tokens a second of the whole model.
void measure_model(Json& json, Transformer& model, std::span<const TokenId> tokens) {
  KvCache cache = model.make_cache();
  const SequenceInput prompt{&cache, tokens.first(128)}, next{&cache, tokens.subspan(128, 1)};
  measure(json, "model: prefill of 128", 128, [&] {
    cache.rewind(0);
    model.forward({&prompt, 1}, LogitsWanted::last);
  });
  measure(json, "model: decode at 128", 1, [&] {
    model.forward({&next, 1}, LogitsWanted::last);
    cache.rewind(128);
  });
}

/// How many logits differ in a bit between one call over all tokens and cached steps, and the hash of the former.
Json compare_schedules(Transformer& model, std::span<const TokenId> tokens) {
  KvCache cache = model.make_cache();
  const SequenceInput whole{&cache, tokens};
  const View<const float, 2> rows = model.forward({&whole, 1}, LogitsWanted::all);
  const std::vector<float> expected(rows.data(), rows.data() + rows.size());
  std::string bytes;
  for (const float logit : expected) {
    const auto bits = std::bit_cast<std::uint32_t>(logit);
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(bits >> shift & 0xFF));
  }
  cache.rewind(0);
  std::size_t different = 0, i = 0;
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    const SequenceInput step{&cache, tokens.subspan(t, 1)};
    const View<const float, 2> row = model.forward({&step, 1}, LogitsWanted::last);
    for (std::size_t v = 0; v < row.size(); ++v, ++i) {
      different += std::bit_cast<std::uint32_t>(row.data()[v]) != std::bit_cast<std::uint32_t>(expected[i]);
    }
  }
  return {{"logits", i}, {"different_when_cached", different}, {"sha256", sha256_hex(bytes)}};
}

/// Whether the matrix product fuses its multiply-adds: -1 - 2 e + (1 + e)^2 is 0 if the square is rounded on its way,
/// and e^2 if not.
bool fuses() {
  constexpr float e = 0x1.0p-13f;
  constexpr std::size_t M = 4 * kernels::kPanelWidth<>, K = 2;
  const float x[K] = {1.0f, 1.0f + e};
  std::vector<float> w, y(M), packed(kernels::packed_size<>(M, K));
  for (std::size_t m = 0; m < M; ++m) w.insert(w.end(), {-1.0f - 2.0f * e, 1.0f + e});
  kernels::pack<>(w.data(), M, K, K, 1, packed.data(), 0, kernels::panel_count<>(M));
  kernels::matmul<>({x, K, 1}, packed.data(), y.data(), M, 1, K, M, 0, kernels::panel_count<>(M), false);
  return y[0] != 0.0f;
}

Json run() {
  Bundle bundle = read_bundle_folder(kBundle);
  bundle.manifest.self_test.reset();  // which free order would not pass
  LoadedModel loaded = load_model(std::move(bundle));
  std::vector<TokenId> tokens;
  for (std::size_t i = 0; i < 129; ++i) tokens.push_back(static_cast<TokenId>(i * 31 % 256 + 300));
  Json rates = Json::object();
  measure_matmul(rates, "matmul [1, 160] x [864, 160]", 1, 160, 864);
  measure_matmul(rates, "matmul [1, 1024] x [1024, 1024]", 1, 1024, 1024);
  measure_matmul(rates, "matmul [128, 160] x [864, 160]", 128, 160, 864);
  measure_matmul(rates, "matmul [512, 512] x [512, 512]", 512, 512, 512);
  measure_attention(rates, "attention: decode at 255, D 40", 255, 1, 40);
  measure_attention(rates, "attention: decode at 1023, D 64", 1023, 1, 64);
  measure_attention(rates, "attention: prefill of 256, D 40", 0, 256, 40);
  measure_rows(rates);
  measure_model(rates, loaded.transformer, tokens);
  return {{"instructions", kernels::DefaultArch::name()},
          {"fused", fuses()},
          {"per_second", rates},
          {"model", compare_schedules(loaded.transformer, tokens)}};
}

}  // namespace

int main() {
  try {
    std::puts(json_text(run()).c_str());
  } catch (const vitrine::Error& error) {
    std::fprintf(stderr, "bench: %s: %s\n", std::string(error_name(error.code())).c_str(), error.message().c_str());
    return 1;
  }
  return 0;
}
