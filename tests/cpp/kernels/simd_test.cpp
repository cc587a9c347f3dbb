// Tests of kernels/simd.hpp: partial loads and stores. Arithmetic is tested where kernels use it.
#include "kernels/simd.hpp"

#include "kernels/kernel_testing.hpp"

namespace vitrine::kernels {
namespace {

using test::Guarded;

TEST_CASE_TEMPLATE("a partial load takes the floats it is given and zeros for the rest", Arch, VITRINE_MACHINES) {
  for (size_t count = 0; count < kLanes<Arch>; ++count) {
    const std::vector<float> exact = test::random_floats(count, 1);  // a read beyond it is a sanitizer's find
    Guarded lanes(kLanes<Arch>);
    store<Arch>(lanes.data(), load_partial<Arch>(exact.data(), count));
    std::vector<float> expected = exact;
    expected.resize(kLanes<Arch>, 0.0f);
    CHECK(test::other_bits(lanes.values(), expected) == "");
  }
}

TEST_CASE_TEMPLATE("a partial store writes so many lanes and nothing else", Arch, VITRINE_MACHINES) {
  for (size_t count = 0; count < kLanes<Arch>; ++count) {
    const std::vector<float> lanes = test::random_floats(kLanes<Arch>, 2);
    Guarded out(count);
    store_partial<Arch>(out.data(), load<Arch>(lanes.data()), count);
    CHECK(test::other_bits(out.values(), std::vector<float>(lanes.begin(), lanes.begin() + std::ptrdiff_t(count))) ==
          "");
    CHECK(out.margins_intact());
  }
}

TEST_CASE("the vectors of this build fill the virtual accumulators exactly") {
  CHECK(kAccumulators % kLanes<DefaultArch> == 0);
  CHECK(kLanes<EmulatedArch<128>> == 4);
  CHECK(kLanes<EmulatedArch<256>> == 8);
}

}  // namespace
}  // namespace vitrine::kernels
