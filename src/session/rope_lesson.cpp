// The model's rotation and its dot product, on a query and a key that a reader chose.
#include <vector>

#include "base/check.hpp"
#include "kernels/reduce.hpp"
#include "layers/rope.hpp"
#include "session/lesson_input.hpp"
#include "session/lessons.hpp"
#include "session/rope_pairs.hpp"

namespace vitrine {
namespace {

constexpr std::size_t kMaxPosition = 4096;
constexpr std::size_t kShifts[] = {1, 10, 100, 1000};
constexpr auto kLessonPairing = kernels::RopePairing::halves;  // that of the bundles that Vitrine makes

std::vector<float> rotated(std::vector<float> head, const RopeTable& table, std::size_t position) {
  table.rotate(View<float, 2>(head.data(), {1, head.size()}), position);
  return head;
}

}  // namespace

Json rope_lesson(const Json& input) {
  JsonObjectReader reader(input, "rope", ErrorCode::invalid_option);
  const std::vector<float> query = read_lesson_vector(reader, "query", {64, 1000});
  const std::vector<float> key = read_lesson_vector(reader, "key", {64, 1000});
  const std::size_t query_position = reader.unsigned_integer("query_position", 0, kMaxPosition);
  const std::size_t key_position = reader.unsigned_integer("key_position", 0, kMaxPosition);
  const double theta = reader.number("theta", 1, 1e9);
  reader.finish();
  const std::size_t D = query.size();
  VITRINE_CHECK(D % 2 == 0, ErrorCode::invalid_option, "rope: query: expected an even number of numbers, found ", D);
  VITRINE_CHECK(key.size() == D, ErrorCode::invalid_option, "rope: key: expected the ", D,
                " numbers of the query, found ", key.size());
  const RopeTable table(kMaxPosition + kShifts[std::size(kShifts) - 1] + 1, D, theta, kLessonPairing);
  const auto product = [&](std::size_t shift) {
    const std::vector<float> q = rotated(query, table, query_position + shift);
    const std::vector<float> k = rotated(key, table, key_position + shift);
    return kernels::dot(q.data(), k.data(), D);
  };
  const auto query_pairs =
      rope_pairs(query, rotated(query, table, query_position), theta, query_position, kLessonPairing);
  const auto key_pairs = rope_pairs(key, rotated(key, table, key_position), theta, key_position, kLessonPairing);
  Json pairs = Json::array();
  for (std::size_t i = 0; i < query_pairs.size(); ++i) {
    pairs.push_back({{"frequency", query_pairs[i].frequency},
                     {"query_angle", query_pairs[i].angle},
                     {"key_angle", key_pairs[i].angle},
                     {"query", {{"before", query_pairs[i].before}, {"after", query_pairs[i].after}}},
                     {"key", {{"before", key_pairs[i].before}, {"after", key_pairs[i].after}}}});
  }
  Json shifted = Json::array();
  for (const std::size_t shift : kShifts) shifted.push_back({{"shift", shift}, {"product", product(shift)}});
  return {{"pairs", std::move(pairs)}, {"product", product(0)}, {"shifted", std::move(shifted)}};
}

}  // namespace vitrine
