// SPDX-License-Identifier: Apache-2.0
// Serializes the parts of a graph as protobuf messages, and the framing that joins them.
#pragma once

#include <cstdint>
#include <string>

#include "zoo/graph.h"

namespace ngb::zoo {

// Returns a ModelProto without its graph: IR 9, opset 20.
std::string serialized_model_head();
// Returns a GraphProto without initializers: nodes, inputs, outputs and the shapes of all values in between. With a
// dynamic batch, the leading extents of inputs and outputs are named "batch" and the shapes in between are omitted.
std::string serialized_graph_head(const Graph& graph, const std::string& name);
// Returns a TensorProto without its data; for a constant, with it.
std::string serialized_tensor_head(const Initializer& initializer);
// Returns a TensorProto whose data is `size_bytes` at `offset_bytes` of the file `location` beside the model.
std::string serialized_external_tensor(const Tensor& tensor, const std::string& location, std::uint64_t offset_bytes,
                                       std::uint64_t size_bytes);

// Returns what precedes the content of a length-delimited field: its tag and its length.
std::string field_start(int field_number, std::uint64_t size_bytes);

}  // namespace ngb::zoo
