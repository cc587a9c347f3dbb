#include "tensor/arena.hpp"

#include <doctest/doctest.h>

#include <cstdint>

#include "support/expect_error.hpp"

namespace vitrine {
namespace {

TEST_CASE("pieces are zero, aligned to cache lines and apart, as planned") {
  Arena arena(Arena::padded(5) + Arena::padded(6));
  const View<float, 1> a = arena.take<1>({5});
  const View<float, 2> b = arena.take<2>({2, 3});
  CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % Arena::kAlignment == 0);
  CHECK(b.data() == a.data() + 16);
  for (std::size_t i = 0; i < 5; ++i) CHECK(a[i] == 0.0f);
  CHECK(arena.used() == arena.capacity());
  CHECK(arena.bytes() == 2 * Arena::kAlignment);
}

TEST_CASE("pieces of narrower numbers take the space of as many floats as hold them") {
  CHECK(Arena::floats_of<float>(5) == 5);
  CHECK(Arena::floats_of<std::uint16_t>(5) == 3);
  CHECK(Arena::floats_of<std::int8_t>(8) == 2);
  CHECK(Arena::floats_of<std::int8_t>(0) == 0);
  CHECK(Arena::floats_of<std::int8_t>(SIZE_MAX) == SIZE_MAX / 4 + 1);
  Arena arena(32 + 16);
  const View<std::uint16_t, 2> halves = arena.take_as<std::uint16_t, 2>({3, 11});  // 17 floats: two cache lines
  const View<std::int8_t, 1> bytes = arena.take_as<std::int8_t, 1>({64});
  CHECK(reinterpret_cast<std::uintptr_t>(bytes.data()) - reinterpret_cast<std::uintptr_t>(halves.data()) == 128);
  CHECK(halves[2][10] == 0);
  CHECK(bytes[63] == 0);
  CHECK(arena.used() == arena.capacity());
}

TEST_CASE("taking more than was planned is our own mistake") {
  Arena arena(16);
  CHECK_ERROR(ErrorCode::internal, "planned 16 floats, used 32", arena.take<1>({17}));
}

TEST_CASE("an arena that no machine can hold is refused") {
  CHECK_ERROR(ErrorCode::out_of_memory, "arena", Arena(SIZE_MAX / 4));
}

}  // namespace
}  // namespace vitrine
