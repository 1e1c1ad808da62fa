// SPDX-License-Identifier: Apache-2.0
// Reads the graph of an ONNX file without its weights.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/tensor.h"
#include "userfiles/onnx_operator.h"
#include "work/graph_node.h"

namespace ngb::userfiles {

// Returns the nodes of the main graph, in the order of the file. A node without a name, or with that of another node,
// is called "TYPE:INDEX", with its index among all nodes: "Conv:17". What the nodes have to do is counted for inputs of
// these shapes. Fails if the file is not readable or not an ONNX model.
Result<std::vector<work::GraphNode>> read_graph(const std::filesystem::path& path,
                                                std::span<const TensorSignature> inputs);

// Counts what an ONNX node has to do at the least in an inference: multiply-adds, and bytes that it has to read and to
// write.

// Returns the multiply-adds of a convolution or of a matrix product, by the conventions of zoo/counting.h; 0 of an
// operator that has none. Returns nothing if the shapes are not known, or if the operator multiplies and is not counted
// here: Einsum, LSTM, a quantised product, a control flow, any operator that is not of the standard.
std::optional<std::uint64_t> macs_of(const Operator& node, const GraphTensors& tensors);

// Returns the bytes that the node has to read of its input `index`: all bytes of the tensor. If the node only chooses
// from the tensor (Gather, Slice, a table of an embedding), they are no more than the node writes. A short list of
// integers that tells an operator what to do (a shape, axes) counts as 0 if its length is not known. Nothing: not
// known.
std::optional<std::uint64_t> bytes_read(const Operator& node, std::size_t index, const GraphTensors& tensors);

}  // namespace ngb::userfiles
