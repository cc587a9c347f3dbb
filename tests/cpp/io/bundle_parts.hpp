// A small bundle for tests of the manifest and of bundles: whole by its hashes, its parts mere texts.
// No model can be made of it.
#pragma once

#include <string>

#include "io/bundle.hpp"

namespace vitrine::test {

inline Bundle small_bundle(const std::string& weights = "the weights") {
  Bundle bundle;
  bundle.manifest.name = "toy";
  bundle.manifest.model_version = "1.2.3";
  bundle.set_part("weights", "model.safetensors", weights);
  bundle.set_part("tokenizer", "tokenizer.json", "the tokenizer");
  bundle.set_part("architecture", "config.json", "the architecture");
  bundle.set_part("generation", "generation_config.json", "the policy");
  bundle.set_part("template", "template.json", "the template");
  bundle.set_part("licence", "LICENSE.txt", "");
  bundle.manifest.self_test = SelfTestVector{{0, 5, 2147483647}, std::string(64, 'a')};
  bundle.manifest.corpus.value()["source"] = "by hand";
  bundle.manifest.held_out.value()["loss"] = 1.5;
  return bundle;
}

}  // namespace vitrine::test
