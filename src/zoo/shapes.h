// SPDX-License-Identifier: Apache-2.0
// Operators that move data and compute nothing: no rows in the layer table. Where the graph's batch is dynamic, the
// leading extent is whatever arrives.
#pragma once

#include <string>
#include <vector>

#include "zoo/graph.h"

namespace ngb::zoo {

// The leading extent may differ from x's (windows folded into the batch), but only by what the others make up.
Tensor reshape(Graph& graph, const std::string& name, const Tensor& x, const Shape& shape);
Tensor transpose(Graph& graph, const std::string& name, const Tensor& x, const std::vector<std::int64_t>& order);
// [first, last) along an axis.
Tensor slice(Graph& graph, const std::string& name, const Tensor& x, std::int64_t axis, std::int64_t first,
             std::int64_t last);
Tensor concatenate(Graph& graph, const std::string& name, const std::vector<Tensor>& parts, std::int64_t axis);
// Equal parts along the last dimension, called "name/part".
std::vector<Tensor> split(Graph& graph, const std::string& name, const Tensor& x,
                          const std::vector<std::string>& parts);
// Zeros behind the last element of each axis.
Tensor pad_end(Graph& graph, const std::string& name, const Tensor& x, const Shape& added);
// torch.roll by `shift` (positive: towards higher indices) along an axis.
Tensor roll(Graph& graph, const std::string& name, const Tensor& x, std::int64_t axis, std::int64_t shift);
// The element at `index` of an axis, which goes.
Tensor select(Graph& graph, const std::string& name, const Tensor& x, std::int64_t axis, std::int64_t index);
// Rows of `table` [rows, columns], as the constant `indices` of `shape` names them: [shape…, columns].
Tensor look_up(Graph& graph, const std::string& name, const Tensor& table, const Shape& shape,
               std::vector<std::int64_t> indices);
// `row` [1, …] once for each sample of x: [batch, …].
Tensor repeat_for_batch(Graph& graph, const std::string& name, const Tensor& row, const Tensor& x);

}  // namespace ngb::zoo
