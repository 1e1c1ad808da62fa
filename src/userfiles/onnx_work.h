// SPDX-License-Identifier: Apache-2.0
// Counts what an ONNX node has to do at the least in an inference: multiply-adds, and bytes that it has to read and to
// write.
#pragma once

#include "userfiles/onnx_operator.h"

namespace ngb::userfiles {

// Returns the multiply-adds of a convolution or of a matrix product, by the conventions of zoo/counting.h; 0 of an
// operator that has none. Returns nothing if the shapes are not known, or if the operator multiplies and is not counted
// here: Einsum, LSTM, a quantised product, a control flow, any operator that is not of the standard.
std::optional<std::uint64_t> macs_of(const Operator& node, const GraphTensors& tensors);

// Returns the bytes that the node has to read of its input `index`: all of the tensor, and of one from which it only
// chooses (Gather, Slice, a table of an embedding) no more than it writes. A short list of integers that tells an
// operator what to do (a shape, axes) counts as 0 if its length is not known. Nothing: not known.
std::optional<std::uint64_t> bytes_read(const Operator& node, std::size_t index, const GraphTensors& tensors);

}  // namespace ngb::userfiles
