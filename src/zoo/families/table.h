// SPDX-License-Identifier: Apache-2.0
// Declares one function per family, in a namespace and a file of its name; families.cpp lists them.
#pragma once

#include "zoo/family.h"
#include "zoo/layers.h"

namespace ngb::zoo {

// kInputGain is the gain of the first convolution. Inputs are uniform on [-1, 1) and so have the second moment 1/3;
// gain 3 gives its output the variance 1.
inline constexpr double kInputGain = 3;

inline FamilyParameter class_parameter() { return {"classes", "int", 1000, 1, 1000000, "logits", {}}; }
inline FamilyParameter image_parameter(int usual, double minimum, double maximum) {
  return {"image_size", "int", usual, minimum, maximum, "height and width of the input in pixels", {}};
}

// Ends a graph with a linear layer, `name`, that has an output per class.
inline Status classify(Graph& graph, const std::string& name, const Tensor& x, const nlohmann::json& parameters,
                       double gain) {
  graph.output(linear(graph, name, x, {.features = parameters.at("classes").get<std::int64_t>(), .gain = gain}),
               "output");
  return graph.status();
}

namespace conv_block {
Family family();
}
namespace convnext {
Family family();
}
namespace decoder {
Family family();
}
namespace decoder_block {
Family family();
}
namespace efficientnet {
Family family();
}
namespace mha_block {
Family family();
}
namespace mlp {
Family family();
}
namespace mobilenet_v3 {
Family family();
}
namespace resnet {
Family family();
}
namespace swin {
Family family();
}
namespace vit {
Family family();
}

}  // namespace ngb::zoo
