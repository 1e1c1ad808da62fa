// SPDX-License-Identifier: Apache-2.0
// An entry of models that stands for several: some of its values are axes, and it means all of their combinations.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "config/problems.h"
#include "config/user_models.h"

namespace ngb::config {

// Returns whether a study may have so many models; adds a problem at the node if not.
bool may_be_so_many(std::size_t models, const DocumentNode& at, Problems& problems);

// Returns which value each axis has in the combination with that number, of axes with so many values: the last axis
// changes fastest.
std::vector<std::size_t> combination(std::size_t number, const std::vector<std::size_t>& counts);

// The entry with one value of each of its axes.
struct ModelPoint {
  ModelFields given{};
  std::vector<std::pair<std::string, std::string>> named{};  // axis and value, in the file's order, as text for people
  std::vector<std::string> told{};  // axes that the entry's label says, or else its file's name
  std::string group{};              // what its points have in common, if that is not all of the model's label
};

// Returns the entry's points, the last axis changes fastest; the entry itself if it has no axis. An axis is a value
// `{each: [16, 32]}` of `parameters`, or a list of `dimensions`. `{width}` in a text of the entry becomes the value of
// the axis `width`, and `{width: {16: 64, 32: 128}}` as `raw_bytes` or `encoded_bytes` becomes the number for that
// value. Returns none if an axis has a problem, which is added. `kind` is the entry's key onnx, file, pytorch or timm.
std::vector<ModelPoint> points_of(const std::string& kind, ModelFields given, const std::string& path,
                                  Problems& problems);

}  // namespace ngb::config
