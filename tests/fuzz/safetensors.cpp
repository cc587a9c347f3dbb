// Bytes as a safetensors file: what is accepted covers the file exactly, and writes back to the same numbers.
#include "io/safetensors.hpp"

#include "support/repair.hpp"
#include "support/same_tensors.hpp"
#include "support/target.hpp"

using namespace vitrine;

VITRINE_FUZZ_TARGET(safetensors, fuzz::repair_safetensors) {
  const auto file = fuzz::attempt(input, {}, [&] { return read_safetensors(input, "input"); });
  if (!file) return;

  const SafetensorsHeader header = read_safetensors_header(input, "input");
  VITRINE_PROMISE(header.entries.size() == file->tensors.size(), "every entry is a tensor");
  std::uint64_t end = header.entries.empty() ? input.size() : header.entries.front().begin;
  for (const SafetensorsEntry& entry : header.entries) {
    VITRINE_PROMISE(entry.begin == end && entry.end >= entry.begin, "entries follow each other");
    end = entry.end;
  }
  VITRINE_PROMISE(end == input.size(), "entries end where the file ends");

  const std::string written = write_safetensors(file->tensors, file->metadata);
  const SafetensorsFile again = read_safetensors(written, "written");
  VITRINE_PROMISE(again.metadata == file->metadata, "metadata read back");
  VITRINE_PROMISE(fuzz::same_tensors(file->tensors, again.tensors), "tensors read back");
  VITRINE_PROMISE(write_safetensors(again.tensors, again.metadata) == written, "equal content gives equal bytes");
}
