// Bytes as a training checkpoint: what is accepted writes back to the same tensors and state.
#include "io/checkpoint_file.hpp"
#include "support/repair.hpp"
#include "support/same_tensors.hpp"
#include "support/target.hpp"

using namespace vitrine;

VITRINE_FUZZ_TARGET(checkpoint, fuzz::repair_sealed) {
  const auto checkpoint = fuzz::attempt(input, {}, [&] { return parse_checkpoint(input, "input"); });
  if (!checkpoint) return;
  const std::string written = checkpoint_bytes(*checkpoint);
  const CheckpointFile again = parse_checkpoint(written, "written");
  VITRINE_PROMISE(again.state.value() == checkpoint->state.value(), "the state reads back");
  VITRINE_PROMISE(fuzz::same_tensors(again.tensors, checkpoint->tensors), "the tensors read back");
  VITRINE_PROMISE(checkpoint_bytes(again) == written, "equal checkpoints give equal bytes");
}
