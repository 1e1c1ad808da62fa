// SPDX-License-Identifier: Apache-2.0
// A plain multilayer perceptron: `depth` fully connected layers of `width` with ReLU, then one with an output per
// class.
#include <fmt/format.h>

#include "zoo/families/table.h"
#include "zoo/layers.h"

namespace ngb::zoo::mlp {
namespace {

Status build(const nlohmann::json& parameters, int batch, Graph& graph) {
  const auto width = parameters.at("width").get<std::int64_t>();
  const int depth = parameters.at("depth").get<int>();
  Tensor x = graph.input("input", DataType::f32, {batch, parameters.at("features").get<std::int64_t>()});
  for (int index = 0; index < depth; ++index) {
    const std::string name = fmt::format("layers.{}", index);
    x = linear(graph, name + ".fc", x, {.features = width, .gain = index == 0 ? kInputGain : 2});
    x = relu(graph, name + ".act", x);
  }
  return classify(graph, "head", x, parameters, 2);
}

}  // namespace

Family family() {
  return {.name = "mlp",
          .meaning = "fully connected layers with ReLU",
          .parameters = {{"features", "int", 784, 1, 1000000, "numbers in a sample", {}},
                         {"width", "int", 1024, 1, 1000000, "features of each hidden layer", {}},
                         {"depth", "int", 3, 1, 1000, "hidden layers", {}},
                         class_parameter()},
          .group = "mlp",
          .build = &build};
}

}  // namespace ngb::zoo::mlp
