// How fast each kernel is on this machine, beside its double twin; and the ladder of the matrix product, from three
// plain loops to the register tile, as a part of the machine's measured peak. It asserts nothing.
//
// Times are processor time, the best of many short passes, so that a busy machine disturbs them little.
#include <cstdio>
#include <vector>

#include "bench/machine.hpp"
#include "kernels/adamw.hpp"
#include "kernels/attention_backward.hpp"
#include "kernels/matmul.hpp"
#include "kernels/norm.hpp"
#include "kernels/quantize.hpp"
#include "kernels/reference/adamw.hpp"
#include "kernels/reference/attention_backward.hpp"
#include "kernels/reference/elementwise.hpp"
#include "kernels/reference/matmul.hpp"
#include "kernels/reference/norm.hpp"
#include "kernels/reference/quantize.hpp"
#include "kernels/reference/rope.hpp"
#include "kernels/reference/softmax.hpp"
#include "kernels/rope.hpp"

namespace {

using namespace vitrine;
using namespace vitrine::bench;

std::vector<double> widen(const std::vector<float>& values) { return {values.begin(), values.end()}; }

/// `work` operations a call; both rates and what the vectors gain.
template <class Kernel, class Twin>
void compare(const char* name, const char* shape, double work, Kernel kernel, Twin twin) {
  const double fast = work / seconds(kernel) * 1e-9, plain = work / seconds(twin) * 1e-9;
  std::printf("%-26s %-28s %8.2f %8.3f %7.1fx\n", name, shape, fast, plain, fast / plain);
}

void rung(const char* name, double work, double time, double peak) {
  const double rate = work / time * 1e-9;
  std::printf("  %-44s %8.2f %7.1f %%\n", name, rate, 100.0 * rate / peak);
}

/// y = x w^T with N rows, K inputs and M outputs, and the gradient of w.
void matmul_ladder(size_t N, size_t K, size_t M, double peak) {
  const double work = 2.0 * static_cast<double>(N * K * M);
  const std::vector<float> x = random_floats(N * K, 2), w = random_floats(M * K, 3), d_y = random_floats(N * M, 4);
  std::vector<float> y(N * M), d_w(M * K), packed(kernels::packed_size<>(M, K)), packed_x(kernels::packed_size<>(K, N));
  const size_t panels = kernels::panel_count<>(M), input_panels = kernels::panel_count<>(K);
  const auto pack = [&] { kernels::pack<>(w.data(), M, K, K, 1, packed.data(), 0, panels); };
  pack();
  std::printf("matmul [%zu, %zu] x [%zu, %zu]^T\n", N, K, M, K);
  if (N <= 256) {
    const std::vector<double> wide_x = widen(x), wide_w = widen(w);
    std::vector<double> wide_y(N * M);
    rung("three loops in double (the twin)", work,
         seconds([&] { reference::matmul(wide_x.data(), wide_w.data(), wide_y.data(), N, K, M, false); }), peak);
    rung("three loops in float", work,
         seconds([&] { reference::matmul(x.data(), w.data(), y.data(), N, K, M, false); }), peak);
    rung("packed panels, one row a call (decode)", work, seconds([&] {
           for (size_t n = 0; n < N; ++n) {
             kernels::matmul<>({x.data() + n * K, K, 1}, packed.data(), y.data() + n * M, M, 1, K, M, 0, panels, false);
           }
         }),
         peak);
  }
  rung("packed panels, register tile", work, seconds([&] {
         kernels::matmul<>({x.data(), K, 1}, packed.data(), y.data(), M, N, K, M, 0, panels, false);
       }),
       peak);
  rung("the same with the packing of w", work, seconds([&] {
         pack();
         kernels::matmul<>({x.data(), K, 1}, packed.data(), y.data(), M, N, K, M, 0, panels, false);
       }),
       peak);
  rung("gradient of w, with the packing of x", work, seconds([&] {
         kernels::pack<>(x.data(), K, N, 1, K, packed_x.data(), 0, input_panels);
         kernels::matmul<>({d_y.data(), 1, M}, packed_x.data(), d_w.data(), K, M, N, K, 0, input_panels, true);
       }),
       peak);
}

void elementwise_and_rows() {
  const size_t n = 4096;
  const double count = static_cast<double>(n);
  const std::vector<float> x = random_floats(n, 5), y = random_floats(n, 6);
  std::vector<float> a(n), b(n), m(n), v(n), w = x;
  const std::vector<double> wide_x = widen(x), wide_y = widen(y);
  std::vector<double> c(n), d(n), wide_m(n), wide_v(n), wide_w = wide_x;
  compare(
      "add", "[4096]", count, [&] { kernels::add<>(x.data(), y.data(), a.data(), n); },
      [&] { reference::add(wide_x.data(), wide_y.data(), c.data(), n); });
  compare(
      "swiglu", "[4096]", count, [&] { kernels::swiglu<>(x.data(), y.data(), a.data(), n); },
      [&] { reference::swiglu(wide_x.data(), wide_y.data(), c.data(), n); });
  compare(
      "swiglu_backward", "[4096]", count,
      [&] { kernels::swiglu_backward<>(x.data(), y.data(), y.data(), a.data(), b.data(), n); },
      [&] { reference::swiglu_backward(wide_x.data(), wide_y.data(), wide_y.data(), c.data(), d.data(), n); });
  compare(
      "adamw_update", "[4096]", count,
      [&] {
        kernels::adamw_update<>(w.data(), y.data(), m.data(), v.data(), n,
                                {1e-3f, 0.9f, 0.95f, 1e-8f, 0.1f, 0.5f, 0.5f, 1.0f});
      },
      [&] {
        reference::adamw_update(wide_w.data(), wide_y.data(), wide_m.data(), wide_v.data(), n, 5, 1e-3, 0.9, 0.95, 1e-8,
                                0.1);
      });
  std::vector<std::int8_t> q(n);
  std::vector<std::uint16_t> half(n);
  compare(
      "quantize_row", "[4096]", count,
      [&] { sink = static_cast<double>(kernels::quantize_row(x.data(), n, q.data(), 1)); },
      [&] { sink = reference::quantize_row(wide_x.data(), n, c.data()); });
  compare(
      "dequantize_row", "[4096]", count, [&] { kernels::dequantize_row(q.data(), 0.01f, a.data(), n); },
      [&] { reference::dequantize_row(wide_x.data(), 0.01, c.data(), n); });
  compare(
      "f16_to_f32", "[4096]", count, [&] { kernels::f16_to_f32(half.data(), a.data(), n); },
      [&] {
        for (size_t i = 0; i < n; ++i) c[i] = static_cast<double>(vitrine::f16_to_f32(half[i]));
      });
  compare(
      "dot", "[4096]", count, [&] { sink = static_cast<double>(kernels::dot<>(x.data(), y.data(), n)); },
      [&] { sink = reference::dot(wide_x.data(), wide_y.data(), n); });
  compare(
      "argmax", "[4096]", count, [&] { sink = static_cast<double>(kernels::argmax<>(x.data(), n)); },
      [&] { sink = static_cast<double>(reference::argmax(wide_x.data(), n)); });
  compare(
      "softmax", "[4096]", count, [&] { kernels::softmax<>(x.data(), a.data(), n); },
      [&] { reference::softmax(wide_x.data(), c.data(), n); });
  compare(
      "log_sum_exp", "[4096]", count, [&] { sink = kernels::log_sum_exp<>(x.data(), n); },
      [&] { sink = reference::log_sum_exp(wide_x.data(), n); });
  const size_t C = 512;
  compare(
      "rms_norm", "[512]", 512.0,
      [&] { sink = static_cast<double>(kernels::rms_norm<>(x.data(), y.data(), 1e-5f, a.data(), C)); },
      [&] { sink = reference::rms_norm(wide_x.data(), wide_y.data(), 1e-5, c.data(), C); });
  compare(
      "rms_norm_backward", "[512]", 512.0,
      [&] { kernels::rms_norm_backward<>(x.data(), y.data(), 1.0f, y.data(), a.data(), C); },
      [&] { reference::rms_norm_backward(wide_x.data(), wide_y.data(), 1.0, wide_y.data(), c.data(), C); });
  std::vector<float> cos(4 * 32), sin(4 * 32);
  kernels::rope_table(10000.0, 4, 64, cos.data(), sin.data());
  for (const bool adjacent : {true, false}) {
    const auto pairing = adjacent ? kernels::RopePairing::adjacent : kernels::RopePairing::halves;
    compare(
        adjacent ? "rotate, adjacent" : "rotate, halves", "[8, 64]", 512.0,
        [&] { kernels::rotate<>(a.data(), 8, 64, cos.data() + 3 * 32, sin.data() + 3 * 32, pairing); },
        [&] { reference::rotate(c.data(), 8, 64, 10000.0, 3.0, adjacent); });
  }
}

/// Attention in operations of the products alone: 4 D for each pair of a query and a visible position, backward 10 D.
void attention(size_t past, size_t T, size_t G, size_t D, const char* shape) {
  const size_t S = past + T;
  double pairs = 0.0;
  for (size_t t = 0; t < T; ++t) pairs += static_cast<double>(G * (past + t + 1) * D);
  const std::vector<float> q = random_floats(T * G * D, 7), k = random_floats(S * D, 8), v = random_floats(S * D, 9);
  std::vector<float> blocks(kernels::key_blocks_size(S, D)), weights(T * G * S), out(T * G * D);
  for (size_t s = 0; s < S; ++s) kernels::store_key(k.data() + s * D, s, blocks.data(), D);
  const std::vector<double> wide_q = widen(q), wide_k = widen(k), wide_v = widen(v);
  std::vector<double> wide_weights(T * G * S), wide_out(T * G * D);
  compare(
      "attention_head", shape, 4.0 * pairs,
      [&] {
        kernels::attention_head<>({q.data(), G * D, T * G, G, past, D, blocks.data(), v.data(), D, 0.125f},
                                  weights.data(), S, out.data(), G * D);
      },
      [&] {
        reference::attention_head(wide_q.data(), wide_k.data(), wide_v.data(), T, G, past, D, 0.125,
                                  wide_weights.data(), wide_out.data());
      });
  if (past > 0) return;
  std::vector<float> d_q(T * G * D), d_k(T * D), d_v(T * D), scratch(kernels::attention_backward_scratch(T, D));
  std::vector<double> wide_d_q(T * G * D), wide_d_k(T * D), wide_d_v(T * D);
  compare(
      "attention_head_backward", shape, 10.0 * pairs,
      [&] {
        kernels::attention_head_backward<>({T, G, D, 0.125f, q.data(), G * D, k.data(), D, v.data(), D, q.data(), G * D,
                                            d_q.data(), G * D, d_k.data(), D, d_v.data(), D},
                                           scratch.data());
      },
      [&] {
        reference::attention_head_backward(wide_q.data(), wide_k.data(), wide_v.data(), T, G, D, 0.125, wide_q.data(),
                                           wide_d_q.data(), wide_d_k.data(), wide_d_v.data());
      });
}

}  // namespace

int main() {
  const double peak = peak_rate();
  std::printf("%zu lanes; peak of multiply and add in registers: %.1f GFLOP/s\n\n", kLanes<DefaultArch>, peak);
  std::printf("%-55s %8s %8s\n", "billions a second: elements, or operations of products", "kernel", "twin");
  elementwise_and_rows();
  attention(0, 256, 1, 64, "T 256, G 1, D 64");
  attention(0, 256, 4, 32, "T 256, G 4, D 32");
  attention(1023, 1, 1, 64, "decode, S 1024, G 1, D 64");
  attention(1023, 1, 4, 64, "decode, S 1024, G 4, D 64");
  std::printf("\n%-46s %8s %9s\n", "", "GFLOP/s", "of peak");
  matmul_ladder(256, 256, 256, peak);
  matmul_ladder(2048, 128, 384, peak);
  matmul_ladder(2048, 512, 512, peak);
  matmul_ladder(1024, 1024, 1024, peak);
  return 0;
}
