// Repairs of mutated inputs: lengths, offsets and hashes are computed anew from what they describe, so that a mutation
// is not stopped by the first check. What cannot be repaired stays as it is.
#pragma once

#include <string>

namespace vitrine::fuzz {

/// The length of the header; and where the header is JSON of the format's form, offsets and the end of the file.
void repair_safetensors(std::string& bytes);

/// The same, then the hash of a sealed file's content (io/sealed_file.hpp).
void repair_sealed(std::string& bytes);

/// The same, then the hash of a saved session's content (session/saved_session.hpp).
void repair_session(std::string& bytes);

/// Sizes and hashes in the manifest of a folder (folder_input.hpp), and the layout of its weights.
void repair_bundle(std::string& bytes);

}  // namespace vitrine::fuzz
