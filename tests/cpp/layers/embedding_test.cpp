#include "layers/embedding.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "support/random_floats.hpp"

namespace vitrine {
namespace {

TEST_CASE("each token gets its row of the table, and a repeated token gathers its gradients") {
  const std::size_t V = 5, C = 7;
  const std::vector<float> table = test::random_floats(V * C, 1);
  const std::vector<TokenId> tokens = {4, 0, 4};
  std::vector<float> out(tokens.size() * C, test::kPoison), d_table(V * C, 1.0f);
  const std::vector<float> d_out = test::random_floats(out.size(), 2);
  embedding_forward(tokens, View<const float, 2>(table.data(), {V, C}), {out.data(), {3, C}});
  embedding_backward(tokens, View<const float, 2>(d_out.data(), {3, C}), {d_table.data(), {V, C}});
  for (std::size_t i = 0; i < C; ++i) {
    CHECK(out[i] == table[4 * C + i]);
    CHECK(out[C + i] == table[i]);
    CHECK(out[2 * C + i] == table[4 * C + i]);
    CHECK(d_table[4 * C + i] == (1.0f + d_out[i]) + d_out[2 * C + i]);
    CHECK(d_table[i] == 1.0f + d_out[C + i]);
    CHECK(d_table[2 * C + i] == 1.0f);
  }
}

}  // namespace
}  // namespace vitrine
