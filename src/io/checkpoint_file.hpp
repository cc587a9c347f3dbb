// A training checkpoint in one file: a sealed file of tensors by name and the state of the run. Which tensors and which
// state are for the trainer to say: nothing here knows AdamW.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "io/sealed_file.hpp"

namespace vitrine {

/// Tensors "weights/<name>", "adamw.m/<name>" and "adamw.v/<name>".
using CheckpointFile = SealedContent;

/// The bytes of a checkpoint: the same content gives the same bytes.
std::string checkpoint_bytes(const CheckpointFile& checkpoint);

/// Throws bad_checkpoint if the bytes are not a checkpoint, are damaged or are cut short; unsupported_format for
/// another version.
CheckpointFile parse_checkpoint(std::string_view bytes, std::string_view where);

/// Writes atomically: an interrupted run finds the old checkpoint or the new one. Throws file_unwritable.
void write_checkpoint(const std::string& path, const CheckpointFile& checkpoint);

inline constexpr std::uint64_t kMaxCheckpointBytes = std::uint64_t{1} << 32;

/// Throws file_not_found, file_unreadable, or as parse_checkpoint.
CheckpointFile read_checkpoint(const std::string& path, std::uint64_t max_bytes = kMaxCheckpointBytes);

}  // namespace vitrine
