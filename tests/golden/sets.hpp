// The sets of golden results, each an object of names and hashes (hashes.hpp). README.md tells what each covers.
#pragma once

#include <string>

#include "base/json.hpp"
#include "io/bundle.hpp"

namespace vitrine::golden {

/// Every kernel, on this build's machine and on the emulated ones.
Json kernel_hashes();

/// Logits of small models with random weights: prefill, cached decode, ragged batches, threads.
Json model_hashes();

/// Tokenizer, n-gram baseline; loss curve, checkpoint and weights of short training runs, at any number of threads and
/// after a resume. `bundle` receives what the first run made.
Json training_hashes(Bundle& bundle);

/// What a bundle's model says: its logits, and the text of each case (cases.json).
Json bundle_hashes(const Bundle& bundle, const Json& cases);

}  // namespace vitrine::golden
