// SPDX-License-Identifier: Apache-2.0
// Reads the graph of an ONNX file without its weights.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/tensor.h"
#include "work/graph_node.h"

namespace ngb::userfiles {

// Returns the nodes of the main graph, in the order of the file. A node without a name, or with that of another node,
// is called "TYPE:INDEX", with its index among all nodes: "Conv:17". What the nodes have to do is counted for inputs of
// these shapes. Fails if the file is not readable or not an ONNX model.
Result<std::vector<work::GraphNode>> read_graph(const std::filesystem::path& path,
                                                std::span<const TensorSignature> inputs);

}  // namespace ngb::userfiles
