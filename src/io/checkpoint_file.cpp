// A checkpoint is a sealed file; what its tensors and its state mean to a run stands in training/trainer.cpp.
#include "io/checkpoint_file.hpp"

#include "io/atomic_file.hpp"

namespace vitrine {
namespace {

constexpr SealedKind kCheckpoint = {"vitrine-checkpoint", "1", ErrorCode::bad_checkpoint};

}  // namespace

std::string checkpoint_bytes(const CheckpointFile& checkpoint) { return seal(kCheckpoint, checkpoint); }

CheckpointFile parse_checkpoint(std::string_view bytes, std::string_view where) {
  return unseal(kCheckpoint, bytes, where);
}

void write_checkpoint(const std::string& path, const CheckpointFile& checkpoint) {
  write_file_atomically(path, checkpoint_bytes(checkpoint));
}

CheckpointFile read_checkpoint(const std::string& path, std::uint64_t max_bytes) {
  return parse_checkpoint(read_file(path, max_bytes), path);
}

}  // namespace vitrine
