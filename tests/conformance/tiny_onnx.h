// SPDX-License-Identifier: Apache-2.0
// ONNX files of a few nodes, written byte by byte after the published field numbers of onnx.proto: independent of the
// builder under test in src/zoo.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/tensor.h"

namespace ngb::conformance {

struct Initializer {
  std::string name{};
  std::vector<std::int64_t> shape{};
  std::vector<float> values{};
};

struct Node {
  std::string operation{};
  std::vector<std::string> inputs{};
  std::vector<std::string> outputs{};
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> int_lists{};  // attributes
};

struct TinyOnnx {
  std::vector<TensorSignature> inputs{};
  std::vector<TensorSignature> outputs{};  // an extent of -1 is written as a named, unknown one
  std::vector<Initializer> initializers{};
  std::vector<Node> nodes{};
  std::int64_t opset = 20;
};

// The file's bytes: IR 9.
std::string serialize(const TinyOnnx& model);

}  // namespace ngb::conformance
