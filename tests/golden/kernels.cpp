// The outputs of every kernel over lengths, offsets and values, on this build's machine and on the emulated ones. Not a
// test of accuracy: tests/cpp/kernels holds each kernel to its double twin.
#include <cmath>
#include <limits>
#include <vector>

#include "base/rng.hpp"
#include "hashes.hpp"
#include "kernels/adamw.hpp"
#include "kernels/attention_backward.hpp"
#include "kernels/matmul.hpp"
#include "kernels/norm.hpp"
#include "kernels/quantize.hpp"
#include "kernels/rope.hpp"
#include "sets.hpp"
#include "support/random_floats.hpp"

namespace vitrine::golden {
namespace {

using kernels::RopePairing;
using std::size_t;
using test::random_floats;

constexpr size_t kLongest = 1003;
constexpr size_t kSize = kLongest + 3;  // and the largest offset

/// Inputs of the sweeps, the same for every kernel; `special` holds the values that float arithmetic treats apart.
struct Inputs {
  std::vector<float> x = random_floats(kSize, 1, -9.0, 9.0), y = random_floats(kSize, 2), z = random_floats(kSize, 3);
  std::vector<float> wide = random_floats(kSize, 4, -90.0, 90.0);
  std::vector<float> special = random_floats(kSize, 5, -2.0, 2.0);

  Inputs() {
    using Limits = std::numeric_limits<float>;
    const float values[] = {0.0f,
                            -0.0f,
                            Limits::denorm_min(),
                            -Limits::denorm_min(),
                            Limits::min(),
                            -Limits::min(),
                            0x1.8p-130f,
                            Limits::max(),
                            Limits::lowest(),
                            Limits::infinity(),
                            -Limits::infinity(),
                            Limits::quiet_NaN(),
                            -87.3365448f,
                            -87.3365479f,
                            88.7228394f,
                            88.7228470f};
    for (size_t i = 0; i < kSize; i += 2) special[i] = values[i / 2 % std::size(values)];
  }
};

/// Calls body(n, offset, out, hash) for lengths 0 .. 67 and kLongest, each at one of four offsets; out [n] is
/// unaligned.
template <class Body>
std::string sweep(Body body) {
  BitHash hash;
  std::vector<float> out(kSize);
  for (size_t n = 0; n <= 68; ++n) body(n <= 67 ? n : kLongest, n % 4, out.data() + (n + 1) % 4, hash);
  return hash.hex();
}

/// The hash of a kernel from n inputs to n outputs, over usual values and special ones.
template <class Kernel>
std::string elementwise(const Inputs& in, Kernel kernel) {
  return sweep([&](size_t n, size_t offset, float* out, BitHash& hash) {
    for (const auto* first : {&in.x, &in.wide, &in.special}) {
      kernel(first->data() + offset, in.y.data() + offset, out, n);
      hash.add(out, n);
    }
  });
}

/// The hash of a kernel from n inputs to one number.
template <class Kernel>
std::string reduction(const Inputs& in, Kernel kernel) {
  return sweep([&](size_t n, size_t offset, float*, BitHash& hash) {
    for (const auto* first : {&in.x, &in.wide, &in.special}) {
      hash.add(static_cast<double>(kernel(first->data() + offset, in.y.data() + offset, n)));
    }
  });
}

void add_scalar_math(Json& json) {
  BitHash exp, log, sin, cos, pow, frequency, table;
  RandomStream random(6);
  std::vector<double> values = {0.0, -0.0, 1.0, 0x1p-1074, 0x1p-1022, 1e308, 709.78, -745.1, std::nan("")};
  for (int i = 0; i < 2000; ++i) values.push_back(2.0 * random.next_uniform() - 1.0);
  for (const double x : values) {
    for (const double factor : {1.0, 700.0}) exp.add(kernels::exp_double(factor * x));
    for (const double factor : {1.0, 1e300, 1e-300}) log.add(kernels::log_double(factor * x));
    for (const double factor : {1.0, 1e6}) {
      sin.add(kernels::sin_double(factor * x));
      cos.add(kernels::cos_double(factor * x));
    }
    pow.add(kernels::pow_double(1.0 + x, 10.0 * x)).add(kernels::pow_double(10000.0, x));
  }
  std::vector<float> cosines(40 * 32), sines(40 * 32);
  for (const size_t D : {2, 6, 24, 64}) {
    for (const double theta : {10000.0, 500000.0}) {
      std::vector<double> frequencies;
      for (size_t i = 0; i < D / 2; ++i) frequencies.push_back(kernels::rope_frequency(theta, i, D));
      frequency.add(frequencies);
      kernels::rope_table(theta, 40, D, cosines.data(), sines.data());
      table.add(cosines.data(), 20 * D).add(sines.data(), 20 * D);
    }
  }
  json["exp_double"] = exp.hex();
  json["log_double"] = log.hex();
  json["sin_double"] = sin.hex();
  json["cos_double"] = cos.hex();
  json["pow_double"] = pow.hex();
  json["rope_frequency"] = frequency.hex();
  json["rope_table"] = table.hex();
}

void add_halves(Json& json) {
  std::vector<std::uint16_t> all(1 << 16), halves(kSize);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  std::vector<float> wide(all.size());
  kernels::f16_to_f32(all.data(), wide.data(), all.size());
  json["f16_to_f32"] = BitHash().add(wide).hex();
  BitHash narrow;
  for (const double range : {1.0, 1e-6, 7e4}) {
    kernels::f32_to_f16(random_floats(kSize, 7, -range, range).data(), halves.data(), kSize);
    narrow.add(halves);
  }
  json["f32_to_f16"] = narrow.hex();
}

/// Rows of all lengths, with special values, and such as are small, large or zero; read back singly and as a block of
/// keys.
void add_quantization(const Inputs& in, Json& json) {
  BitHash quantized, row_back, block_back;
  for (size_t n = 1; n <= 67; ++n) {
    for (const auto* x : {&in.x, &in.wide, &in.special}) {
      for (const float factor : {1.0f, 1e-38f, 1e30f, 0.0f}) {
        std::vector<float> row(x->begin() + 3, x->begin() + 3 + static_cast<std::ptrdiff_t>(n)), back(n);
        kernels::scale(row.data(), factor, row.data(), n);
        std::vector<std::int8_t> q(n);
        const float scale = kernels::quantize_row(row.data(), n, q.data(), 1);
        kernels::dequantize_row(q.data(), scale, back.data(), n);
        quantized.add(&scale, 1).add(std::string_view(reinterpret_cast<const char*>(q.data()), n));
        row_back.add(back);
      }
    }
  }
  const size_t D = 20, P = kernels::kKeyBlock;
  std::vector<std::int8_t> block(D * P);
  std::vector<float> scales(P), back(D * P);
  for (size_t p = 0; p < P; ++p) scales[p] = kernels::quantize_row(in.wide.data() + p * D, D, block.data() + p, P);
  kernels::dequantize_key_block(block.data(), scales.data(), back.data(), D);
  json["quantize_row"] = quantized.hex();
  json["dequantize_row"] = row_back.hex();
  json["dequantize_key_block"] = block_back.add(back).hex();
}

template <class Arch>
void add_elementwise(const Inputs& in, Json& json) {
  namespace k = kernels;
  json["add"] = elementwise(in, [](auto x, auto y, auto out, size_t n) { k::add<Arch>(x, y, out, n); });
  json["add_in_place"] = elementwise(in, [](auto x, auto y, auto out, size_t n) {
    std::copy_n(x, n, out);
    k::add_in_place<Arch>(out, y, n);
  });
  json["scale"] = elementwise(in, [](auto x, auto, auto out, size_t n) { k::scale<Arch>(x, 0.3f, out, n); });
  json["exp"] = elementwise(in, [](auto x, auto, auto out, size_t n) {
    k::detail::map<Arch>([](auto value) { return k::exp<Arch>(value); }, out, n, x);
  });
  json["swiglu"] = elementwise(in, [](auto x, auto y, auto out, size_t n) { k::swiglu<Arch>(x, y, out, n); });
  json["swiglu_backward"] = sweep([&](size_t n, size_t offset, float* d_gate, BitHash& hash) {
    std::vector<float> d_up(n);
    for (const auto* gate : {&in.x, &in.wide, &in.special}) {
      k::swiglu_backward<Arch>(gate->data() + offset, in.y.data() + offset, in.z.data() + offset, d_gate, d_up.data(),
                               n);
      hash.add(d_gate, n).add(d_up);
    }
  });
  json["adamw_update"] = sweep([&](size_t n, size_t offset, float* w, BitHash& hash) {
    std::vector<float> m(n), v(n);
    std::copy_n(in.y.data(), n, w);
    for (const float correction : {0.1f, 0.19f, 0.271f}) {
      k::adamw_update<Arch>(w, in.x.data() + offset, m.data(), v.data(), n,
                            {.learning_rate = 0.01f,
                             .beta1 = 0.9f,
                             .beta2 = 0.95f,
                             .eps = 1e-8f,
                             .weight_decay = 0.1f,
                             .bias_correction1 = correction,
                             .bias_correction2 = correction / 2.0f,
                             .grad_scale = 0.7f});
      hash.add(w, n).add(m).add(v);
    }
  });
}

template <class Arch>
void add_rows(const Inputs& in, Json& json) {
  namespace k = kernels;
  json["sum_of_squares"] = reduction(in, [](auto x, auto, size_t n) { return k::sum_of_squares<Arch>(x, n); });
  json["dot"] = reduction(in, [](auto x, auto y, size_t n) { return k::dot<Arch>(x, y, n); });
  json["max"] = reduction(in, [](auto x, auto, size_t n) { return k::max<Arch>(x, n); });
  json["all_finite"] = reduction(in, [](auto x, auto, size_t n) { return k::all_finite<Arch>(x, n) ? 1 : 0; });
  json["argmax"] = reduction(in, [](auto x, auto, size_t n) { return k::argmax<Arch>(x, n); });
  json["log_sum_exp"] = reduction(in, [](auto x, auto, size_t n) { return n == 0 ? 0 : k::log_sum_exp<Arch>(x, n); });
  json["softmax"] = elementwise(in, [](auto x, auto, auto out, size_t n) { k::softmax<Arch>(x, out, n); });
  json["softmax_backward"] =
      elementwise(in, [](auto x, auto y, auto out, size_t n) { k::softmax_backward<Arch>(x, y, out, n); });
  json["rms_norm"] = sweep([&](size_t n, size_t offset, float* out, BitHash& hash) {
    if (n == 0) return;
    for (const auto* x : {&in.x, &in.wide, &in.special}) {
      hash.add(static_cast<double>(k::rms_norm<Arch>(x->data() + offset, in.y.data(), 1e-5f, out, n))).add(out, n);
    }
  });
  json["rms_norm_backward"] = elementwise(in, [&](auto x, auto y, auto out, size_t n) {
    std::copy_n(y, n, out);
    if (n > 0) k::rms_norm_backward<Arch>(x, in.z.data(), 0.3f, y, out, n);
  });
  json["rms_norm_backward_gain"] = sweep([&](size_t C, size_t offset, float* d_gain, BitHash& hash) {
    const size_t N = C == kLongest ? 1 : 5, begin = std::min(offset, C);
    std::copy_n(in.z.data(), C, d_gain);
    k::rms_norm_backward_gain<Arch>(in.x.data(), in.y.data(), in.wide.data(), d_gain, N, C, begin, C);
    hash.add(d_gain, C);
  });
}

template <class Arch>
void add_rope(const Inputs& in, Json& json) {
  BitHash forward, backward;
  std::vector<float> x, cos(32), sin(32);
  for (size_t D = 2; D <= 64; D += 2) {
    const std::vector<float> angles = random_floats(D / 2, D, 0.0, 6.3);
    for (size_t i = 0; i < D / 2; ++i) {
      cos[i] = static_cast<float>(kernels::cos_double(double{angles[i]}));
      sin[i] = static_cast<float>(kernels::sin_double(double{angles[i]}));
    }
    for (const RopePairing pairing : {RopePairing::halves, RopePairing::adjacent}) {
      x = in.x;
      kernels::rotate<Arch>(x.data() + D % 3, 5, D, cos.data(), sin.data(), pairing);
      forward.add(x);
      kernels::rotate_backward<Arch>(x.data(), 5, D, cos.data(), sin.data(), pairing);
      backward.add(x);
    }
  }
  json["rotate"] = forward.hex();
  json["rotate_backward"] = backward.hex();
}

/// c [rows, outputs] of one product, overwritten and then added to once more. By columns, both operands lie transposed.
template <class Arch>
void add_product(size_t rows, size_t inner, size_t outputs, bool by_columns, BitHash& hash) {
  const std::vector<float> a = random_floats(rows * inner, rows + inner), b = random_floats(outputs * inner, outputs);
  std::vector<float> packed(kernels::packed_size<Arch>(outputs, inner)), c(rows * outputs);
  const size_t panels = kernels::panel_count<Arch>(outputs);
  kernels::pack<Arch>(b.data(), outputs, inner, by_columns ? 1 : inner, by_columns ? outputs : 1, packed.data(), 0,
                      panels);
  const kernels::LeftOperand left{a.data(), by_columns ? 1 : inner, by_columns ? rows : 1};
  for (const bool accumulate : {false, true}) {
    kernels::matmul<Arch>(left, packed.data(), c.data(), outputs, rows, inner, outputs, 0, panels, accumulate);
    hash.add(c);
  }
}

template <class Arch>
void add_matmul(Json& json) {
  BitHash hash;
  for (const size_t inner : {0, 1, 5, 300}) {
    for (const size_t outputs : {1, 15, 67, 200}) {
      for (const size_t rows : {1, 2, 3, 5, 7, 40}) {
        for (const bool by_columns : {false, true}) add_product<Arch>(rows, inner, outputs, by_columns, hash);
      }
    }
  }
  json["matmul"] = hash.hex();
}

struct AttentionCase {
  size_t past, T, G, D;
};

template <class Arch>
void add_attention(Json& json) {
  BitHash forward, backward;
  for (const auto [past, T, G, D] :
       {AttentionCase{0, 60, 3, 20}, AttentionCase{0, 1, 1, 4}, AttentionCase{37, 17, 2, 32},
        AttentionCase{1640, 9, 3, 6}, AttentionCase{99, 1, 4, 64}}) {
    const size_t positions = past + T;
    const std::vector<float> q = random_floats(T * G * D, 8), k = random_floats(positions * D, 9),
                             v = random_floats(positions * D, 10);
    std::vector<float> blocks(kernels::key_blocks_size(positions, D)), weights(T * G * positions), out(T * G * D);
    for (size_t s = 0; s < positions; ++s) kernels::store_key(k.data() + s * D, s, blocks.data(), D);
    kernels::attention_head<Arch>({q.data(), G * D, T * G, G, past, D, blocks.data(), v.data(), D, 0.25f},
                                  weights.data(), positions, out.data(), G * D);
    forward.add(weights).add(out);
    if (past > 0) continue;
    std::vector<float> d_q(T * G * D), d_k(T * D), d_v(T * D), scratch(kernels::attention_backward_scratch(T, D));
    kernels::attention_head_backward<Arch>({T, G, D, 0.25f, q.data(), G * D, k.data(), D, v.data(), D, out.data(),
                                            G * D, d_q.data(), G * D, d_k.data(), D, d_v.data(), D},
                                           scratch.data());
    backward.add(d_q).add(d_k).add(d_v);
  }
  json["attention_head"] = forward.hex();
  json["attention_head_backward"] = backward.hex();
}

template <class Arch>
Json hashes_of_machine() {
  const Inputs in;
  Json json = Json::object();
  add_elementwise<Arch>(in, json);
  add_rows<Arch>(in, json);
  add_rope<Arch>(in, json);
  add_matmul<Arch>(json);
  add_attention<Arch>(json);
  return json;
}

}  // namespace

Json kernel_hashes() {
  const std::vector<std::pair<std::string, Json>> machines = {
      {kernels::DefaultArch::name(), hashes_of_machine<kernels::DefaultArch>()},
      {"emulated<128>", hashes_of_machine<kernels::EmulatedArch<128>>()},
      {"emulated<256>", hashes_of_machine<kernels::EmulatedArch<256>>()},
      {"emulated<512>", hashes_of_machine<kernels::EmulatedArch<512>>()}};
  Json json = Json::object();
  add_scalar_math(json);
  add_halves(json);
  add_quantization(Inputs(), json);
  for (const auto& [name, hash] : machines.front().second.items()) {
    Ways ways;
    for (const auto& [machine, hashes] : machines) ways.emplace_back(machine, hashes[name]);
    json[name] = agreed(ways);
  }
  return json;
}

}  // namespace vitrine::golden
