// The bits that every build must make: hashes of each kernel's output on fixed inputs, the same on every machine,
// compiler and engine. Not a test of accuracy: a changed hash means a changed order or function, to be explained.
#include <array>
#include <cstring>
#include <string_view>

#include "kernels/adamw.hpp"
#include "kernels/attention_backward.hpp"
#include "kernels/kernel_testing.hpp"
#include "kernels/matmul.hpp"
#include "kernels/norm.hpp"
#include "kernels/quantize.hpp"
#include "kernels/rope.hpp"

namespace vitrine::kernels {
namespace {

using test::random_floats;

/// FNV-1a over the bits of numbers, little end first.
class Hash {
 public:
  template <class Number>
  Hash& add(const Number* values, size_t n) {
    for (size_t i = 0; i < n; ++i) {
      unsigned char bytes[sizeof(Number)];
      std::memcpy(bytes, &values[i], sizeof(Number));
      for (const unsigned char byte : bytes) value_ = (value_ ^ byte) * 0x100000001B3u;
    }
    return *this;
  }
  Hash& add(const std::vector<float>& values) { return add(values.data(), values.size()); }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xCBF29CE484222325u;
};

std::uint64_t hash_scalar_math() {
  Hash hash;
  RandomStream random(1);
  for (int i = 0; i < 2000; ++i) {
    const double x = 2.0 * random.next_uniform() - 1.0;
    const double values[] = {exp_double(700.0 * x), log_double(1.0 + x), sin_double(1e6 * x), cos_double(1e6 * x),
                             pow_double(1.0 + x, 10.0 * x)};
    hash.add(values, 5);
  }
  return hash.value();
}

template <class Arch>
std::uint64_t hash_elementwise() {
  const size_t n = 1003;
  const std::vector<float> x = random_floats(n, 2, -90.0, 90.0), y = random_floats(n, 3, -9.0, 9.0);
  std::vector<float> a(n), b(n), c(n), m(n), v(n), w = y;
  exp<Arch>(x.data(), a.data(), n);
  swiglu<Arch>(x.data(), y.data(), b.data(), n);
  Hash hash;
  hash.add(a).add(b);
  swiglu_backward<Arch>(y.data(), x.data(), y.data(), a.data(), c.data(), n);
  hash.add(a).add(c);
  adamw_update<Arch>(w.data(), x.data(), m.data(), v.data(), n,
                     {.learning_rate = 0.01f,
                      .beta1 = 0.9f,
                      .beta2 = 0.95f,
                      .eps = 1e-8f,
                      .weight_decay = 0.1f,
                      .bias_correction1 = 0.1f,
                      .bias_correction2 = 0.05f,
                      .grad_scale = 0.7f});
  return hash.add(w).add(m).add(v).value();
}

template <class Arch>
std::uint64_t hash_rows() {
  const size_t n = 1003;
  const std::vector<float> x = random_floats(n, 4, -9.0, 9.0), y = random_floats(n, 5);
  std::vector<float> p(n), d(n), out(n), turned = x, cos(60), sin(60);
  Hash hash;
  const float sums[] = {sum<Arch>(x.data(), n), dot<Arch>(x.data(), y.data(), n), max<Arch>(x.data(), n),
                        rms_norm<Arch>(x.data(), y.data(), 1e-5f, out.data(), n)};
  const double logarithm = log_sum_exp<Arch>(x.data(), n);
  hash.add(sums, 4).add(&logarithm, 1).add(out);
  softmax<Arch>(x.data(), p.data(), n);
  softmax_backward<Arch>(p.data(), y.data(), d.data(), n);
  hash.add(p).add(d);
  rms_norm_backward<Arch>(x.data(), y.data(), sums[3], p.data(), d.data(), n);
  hash.add(d);
  rope_table(10000.0, 5, 24, cos.data(), sin.data());
  rotate<Arch>(turned.data(), 2, 24, cos.data() + 48, sin.data() + 48, RopePairing::halves);
  rotate<Arch>(turned.data() + 48, 2, 24, cos.data() + 48, sin.data() + 48, RopePairing::adjacent);
  return hash.add(cos).add(sin).add(turned).value();
}

template <class Arch>
std::uint64_t hash_matmul() {
  Hash hash;
  const size_t inner = 300, outputs = 67;
  const std::vector<float> w = random_floats(outputs * inner, 6);
  std::vector<float> packed(packed_size<Arch>(outputs, inner));
  pack<Arch>(w.data(), outputs, inner, inner, 1, packed.data(), 0, panel_count<Arch>(outputs));
  for (const size_t rows : {size_t{1}, size_t{2}, size_t{7}, size_t{40}}) {
    const std::vector<float> a = random_floats(rows * inner, 7);
    std::vector<float> c(rows * outputs);
    matmul<Arch>({a.data(), inner, 1}, packed.data(), c.data(), outputs, rows, inner, outputs, 0,
                 panel_count<Arch>(outputs), false);
    hash.add(c);
  }
  return hash.value();
}

template <class Arch>
std::uint64_t hash_attention() {
  const size_t T = 60, G = 3, D = 20;
  const std::vector<float> q = random_floats(T * G * D, 8), k = random_floats(T * D, 9), v = random_floats(T * D, 10);
  std::vector<float> blocks(key_blocks_size(T, D)), weights(T * G * T), out(T * G * D);
  std::vector<float> d_q(T * G * D), d_k(T * D), d_v(T * D), scratch(attention_backward_scratch(T, D));
  for (size_t t = 0; t < T; ++t) store_key(k.data() + t * D, t, blocks.data(), D);
  attention_head<Arch>({q.data(), G * D, T * G, G, 0, D, blocks.data(), v.data(), D, 0.25f}, weights.data(), T,
                       out.data(), G * D);
  attention_head_backward<Arch>({T, G, D, 0.25f, q.data(), G * D, k.data(), D, v.data(), D, out.data(), G * D,
                                 d_q.data(), G * D, d_k.data(), D, d_v.data(), D},
                                scratch.data());
  return Hash().add(weights).add(out).add(d_q).add(d_k).add(d_v).value();
}

/// The same on every machine by construction: no vectors of ours are in it.
std::uint64_t hash_quantize() {
  Hash hash;
  const std::vector<float> x = random_floats(40 * kKeyBlock, 11, -3.0, 3.0);
  std::vector<std::int8_t> q(x.size());
  std::vector<float> scales(kKeyBlock), out(x.size());
  for (size_t p = 0; p < kKeyBlock; ++p) scales[p] = quantize_row(x.data() + p * 40, 40, q.data() + p, kKeyBlock);
  dequantize_key_block(q.data(), scales.data(), out.data(), 40);
  hash.add(q.data(), q.size()).add(scales).add(out);
  const std::vector<float> row = random_floats(1000, 12, -9.0, 9.0);
  std::vector<std::uint16_t> half(row.size());
  f32_to_f16(row.data(), half.data(), row.size());
  out.resize(row.size());
  f16_to_f32(half.data(), out.data(), row.size());
  return hash.add(half.data(), half.size()).add(out).value();
}

TEST_CASE("what a narrow cache stores and reads has the recorded bits") {
  CHECK(hash_quantize() == 0x7611CA5413274100u);
}

TEST_CASE_TEMPLATE("every kernel makes the recorded bits", Arch, VITRINE_MACHINES) {
  CHECK(hash_scalar_math() == 0x4B9BF14304BB8795u);
  CHECK(hash_elementwise<Arch>() == 0x42D76B96BEA28F4Eu);
  CHECK(hash_rows<Arch>() == 0x22B43B6B20B0BFA6u);
  CHECK(hash_matmul<Arch>() == 0x6DDD0993E6E166F7u);
  CHECK(hash_attention<Arch>() == 0xB0D307B4BD016012u);
}

}  // namespace
}  // namespace vitrine::kernels
