#include "io/checkpoint_file.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <string>

#include "io/safetensors.hpp"
#include "support/expect_error.hpp"
#include "support/temporary_folder.hpp"

using namespace vitrine;

namespace {

constexpr auto kBad = ErrorCode::bad_checkpoint;

CheckpointFile small_checkpoint() {
  CheckpointFile checkpoint;
  checkpoint.tensors.insert({"weights/w", {2, 2}, {1, -0.0F, 1e-42F, 3.4e38F}, DType::f32});
  checkpoint.tensors.insert({"adamw.m/w", {2, 2}, {0.1F, 0.2F, 0.3F, 0.4F}, DType::f32});
  checkpoint.tensors.insert({"adamw.v/w", {2, 2}, {5, 6, 7, std::numeric_limits<float>::min()}, DType::f32});
  checkpoint.state.value()["step"] = 12;
  checkpoint.state.value()["seed"] = UINT64_MAX;
  checkpoint.state.value()["loss"] = 0.1;
  return checkpoint;
}

CheckpointFile parse(const std::string& bytes) { return parse_checkpoint(bytes, "c"); }

/// The checkpoint's file with one field of its metadata changed.
std::string with_metadata(const std::string& key, const std::string& value) {
  SafetensorsFile file = read_safetensors(checkpoint_bytes(small_checkpoint()), "c");
  file.metadata[key] = value;
  return write_safetensors(file.tensors, file.metadata);
}

}  // namespace

TEST_CASE("a checkpoint reads back bit for bit with its state, so that a run continues exactly") {
  const test::TemporaryFolder folder;
  const CheckpointFile checkpoint = small_checkpoint();
  write_checkpoint(folder / "c", checkpoint);
  CHECK(folder.size() == 1);
  const CheckpointFile found = read_checkpoint(folder / "c");
  CHECK(json_text(found.state) == json_text(checkpoint.state));
  CHECK(found.state.value()["loss"].get<double>() == 0.1);
  CHECK(found.tensors.size() == 3);
  for (const auto& [name, tensor] : checkpoint.tensors) {
    const Tensor& other = found.tensors.require(name, tensor.shape);
    CHECK(std::memcmp(other.data.data(), tensor.data.data(), tensor.data.size() * sizeof(float)) == 0);
  }
  CHECK(checkpoint_bytes(found) == checkpoint_bytes(checkpoint));
}

TEST_CASE("a checkpoint is an ordinary safetensors file") {
  const SafetensorsFile file = read_safetensors(checkpoint_bytes(small_checkpoint()), "c");
  CHECK(file.metadata.at("format") == "vitrine-checkpoint");
  CHECK(file.tensors.require("adamw.m/w").data[3] == 0.4F);
}

TEST_CASE("no prefix and no changed bit of a checkpoint is accepted as the same run") {
  const std::string bytes = checkpoint_bytes(small_checkpoint());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CHECK_ERROR(kBad, "c: ", parse(bytes.substr(0, size)));
  }
  int accepted = 0;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string changed = bytes;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
    try {
      // What still loads (a space of the padding that became another blank, say) must hold the same content.
      accepted += checkpoint_bytes(parse(changed)) == bytes ? 0 : 1;
    } catch (const Error&) {
      continue;
    }
  }
  CHECK(accepted == 0);
}

TEST_CASE("a file of another kind, version or hash is refused with its reason") {
  CHECK_ERROR(kBad, "c: __metadata__: expected a field format", parse(write_safetensors({})));
  CHECK_ERROR(kBad, "c: format: expected vitrine-checkpoint, found \"pt\"", parse(with_metadata("format", "pt")));
  CHECK_ERROR(ErrorCode::unsupported_format, "c: version: expected 1, found \"2\"",
              parse(with_metadata("version", "2")));
  CHECK_ERROR(kBad, "expected content of SHA-256 \"0\"", parse(with_metadata("sha256", "0")));
  CHECK_ERROR(kBad, "expected content of SHA-256", parse(with_metadata("state", "{\"step\":13}")));
  CHECK_ERROR(kBad, "c: __metadata__: expected known fields only, found \"note\"", parse(with_metadata("note", "x")));
}

TEST_CASE("an absent checkpoint and one beyond the limit are errors of the file") {
  const test::TemporaryFolder folder;
  CHECK_ERROR(ErrorCode::file_not_found, "c: expected a readable file", read_checkpoint(folder / "c"));
  write_checkpoint(folder / "c", small_checkpoint());
  CHECK_ERROR(ErrorCode::file_unreadable, "expected at most 10 bytes", read_checkpoint(folder / "c", 10));
}

TEST_CASE("an interrupted write leaves the checkpoint before it") {
  const test::TemporaryFolder folder;
  write_checkpoint(folder / "c", small_checkpoint());
  CheckpointFile next = small_checkpoint();
  next.state.value()["loss"] = std::numeric_limits<double>::quiet_NaN();
  CHECK_ERROR(ErrorCode::not_finite, "found NaN", write_checkpoint(folder / "c", next));
  CHECK(read_checkpoint(folder / "c").state.value()["step"] == 12);
  CHECK(folder.size() == 1);
}
