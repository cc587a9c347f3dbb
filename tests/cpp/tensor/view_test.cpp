#include "tensor/view.hpp"

#include <doctest/doctest.h>

#include "support/expect_error.hpp"

namespace vitrine {
namespace {

TEST_CASE("indexing walks the axes, slowest first, in row-major memory") {
  float memory[24];
  for (int i = 0; i < 24; ++i) memory[i] = static_cast<float>(i);
  const View<float, 3> view(memory, {2, 3, 4});
  CHECK(view[1][2][3] == 23.0f);
  CHECK(view[0][1].data() == memory + 4);
  CHECK(view.stride() == 12);
  CHECK(view.size() == 24);
  CHECK(view.slice(1, 1)[0][0][0] == 12.0f);
  CHECK(view.slice(2, 0).size() == 0);
  view[0][0][1] = -1.0f;
  CHECK(memory[1] == -1.0f);
  const View<const float, 3> constant = view;
  CHECK(constant.has_shape(2, 3, 4));
  CHECK_FALSE(constant.has_shape(2, 4, 3));
}

TEST_CASE("in test builds an index, a slice or a shape that does not fit is our own mistake") {
  float memory[6] = {};
  const View<float, 2> view(memory, {2, 3});
  CHECK_ERROR(ErrorCode::internal, "index < shape_[0]", view[2]);
  CHECK_ERROR(ErrorCode::internal, "begin + count <= shape_[0]", view.slice(1, 2));
  const auto assert_shape = [&] { VITRINE_ASSERT_SHAPE(view, 3, 2); };
  CHECK_ERROR(ErrorCode::internal, "has_shape(3, 2)", assert_shape());
}

}  // namespace
}  // namespace vitrine
