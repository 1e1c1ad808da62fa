// SPDX-License-Identifier: Apache-2.0
// write_recipe NAME PARAMETERS SEED BATCH THREADS FILE: writes a recipe's ONNX file and prints its facts as JSON.
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/json_text.h"
#include "zoo/recipe.h"

namespace {

int complain(const ngb::Error& error) {
  std::cerr << error.text() << '\n';
  return 1;
}

}  // namespace

int main(int count, char** words) {
  if (count != 7) {
    std::cerr << "usage: write_recipe NAME PARAMETERS SEED BATCH THREADS FILE\n";
    return 2;
  }
  const nlohmann::json parameters = ngb::json_text::parse(words[2]);
  const auto recipe = ngb::zoo::resolve(words[1], parameters, std::strtoull(words[3], nullptr, 10));
  if (!recipe) return complain(recipe.error());
  const bool dynamic = std::string_view(words[4]) == "dynamic";
  const ngb::zoo::BatchSize batch = dynamic ? std::nullopt : ngb::zoo::BatchSize(std::atoi(words[4]));
  const auto facts = ngb::zoo::facts(*recipe, batch.value_or(1));
  if (!facts) return complain(facts.error());
  const auto written = ngb::zoo::write_onnx(*recipe, batch, words[6], std::atoi(words[5]));
  if (!written) return complain(written.error());
  std::cout << nlohmann::json{{"recipe", ngb::zoo::canonical_json(*recipe)},
                              {"parameters", facts->parameters},
                              {"macs", facts->macs},
                              {"macs_torchinfo", facts->macs_torchinfo},
                              {"file_bytes", facts->file_bytes},
                              {"node_count", facts->node_count}}
            << '\n';
  return 0;
}
