// SPDX-License-Identifier: Apache-2.0
// The parts of a graph as protobuf messages, and the framing that joins them.
#pragma once

#include <cstdint>
#include <string>

#include "zoo/graph.h"

namespace ngb::zoo {

// ModelProto without its graph: IR 9, opset 20.
std::string serialized_model_head();
// GraphProto without its initializers: nodes, inputs, outputs, the shapes of all values between.
std::string serialized_graph_head(const Graph& graph, const std::string& name);
// TensorProto without its data; of integers, with it.
std::string serialized_tensor_head(const Initializer& initializer);

// What stands before a length-delimited field: its tag and its length.
std::string field_start(int field_number, std::uint64_t size_bytes);

}  // namespace ngb::zoo
