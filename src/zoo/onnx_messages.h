// SPDX-License-Identifier: Apache-2.0
// The parts of a graph as protobuf messages, and the framing that joins them.
#pragma once

#include <cstdint>
#include <string>

#include "zoo/graph.h"

namespace ngb::zoo {

// ModelProto without its graph: IR 9, opset 20.
std::string serialized_model_head();
// GraphProto without its initializers: nodes, inputs, outputs, the shapes of all values between. With a dynamic batch
// the leading extents of inputs and outputs are called "batch", and shapes between are left to the reader.
std::string serialized_graph_head(const Graph& graph, const std::string& name);
// TensorProto without its data; of constants, with it.
std::string serialized_tensor_head(const Initializer& initializer);
// TensorProto whose data is `size_bytes` at `offset_bytes` of the file called `location` beside the model.
std::string serialized_external_tensor(const Tensor& tensor, const std::string& location, std::uint64_t offset_bytes,
                                       std::uint64_t size_bytes);

// What stands before a length-delimited field: its tag and its length.
std::string field_start(int field_number, std::uint64_t size_bytes);

}  // namespace ngb::zoo
