// SPDX-License-Identifier: Apache-2.0
// Keys of an entry of models whose value may be a list: those of decoders. A list makes a model of each value.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "config/keys/key.h"
#include "config/problems.h"
#include "config/study.h"
#include "config/user_models.h"

namespace ngb::config {

// One parameter of a recipe in a study, or a key of its entry: a single value, or a list of values that spans an axis.
struct Axis {
  std::string name{};
  std::vector<nlohmann::json> values{};
  bool is_axis = false;      // given as a list, even if of one value
  const Key* key = nullptr;  // of the entry; null: a parameter of the recipe
};

// Reads a value or a list of values; what cannot be read is added to the problems and left out.
Axis read_axis(const Key& key, const DocumentNode& node, const std::string& path, Problems& problems);

// If the key `cache` names the best form, names each form of the cache in its place, of a recipe or a module.
void name_all_forms(const ModelFields& given, bool is_recipe, Axis& axis);

// Returns whether the key says how tokens are generated, which the reading of a prompt has nothing of.
bool is_of_generating(const Key& key);

// Reads the decoder keys of an ONNX file's entry and returns the entries that they make of `model`, with labels; the
// entry itself if it has none of them.
std::vector<ModelEntry> decoders_of_file(const ModelEntry& model, const ModelFields& given, const std::string& path,
                                         Problems& problems);

}  // namespace ngb::config
