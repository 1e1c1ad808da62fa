// SPDX-License-Identifier: Apache-2.0
// Short lists of integers of an ONNX graph that depend on no input's values: shapes, axes, bounds.
#pragma once

#include "userfiles/onnx_operator.h"

namespace ngb::userfiles {

using Values = std::vector<std::int64_t>;

// Returns an axis that counts from the end as one that counts from the front; nothing if there is no such axis.
std::optional<std::size_t> axis_in(std::int64_t axis, std::size_t rank);

// Returns the integers of an attribute or, in newer versions of the operator, of an input: none if the node has
// neither, nothing if they are not known.
std::optional<Values> integers_of(const Operator& node, const GraphTensors& tensors, const std::string& attribute,
                                  std::size_t input);

// Returns the integers of the node's first output; nothing if they are not known or are more than a shape has.
std::optional<Values> values_of(const Operator& node, const GraphTensors& tensors);

}  // namespace ngb::userfiles
