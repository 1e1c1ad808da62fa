// SPDX-License-Identifier: Apache-2.0
// Adds operators that move data without computing. They have no rows in the layer table. If the graph's batch is
// dynamic, the leading extent is left open.
#pragma once

#include <string>
#include <vector>

#include "zoo/graph.h"

namespace ngb::zoo {

// Reshapes x. The leading extent may change (windows folded into the batch) if the other extents compensate for it.
Tensor reshape(Graph& graph, const std::string& name, const Tensor& x, const Shape& shape);
Tensor transpose(Graph& graph, const std::string& name, const Tensor& x, const std::vector<std::int64_t>& order);
// Returns the elements [first, last) of an axis.
Tensor slice(Graph& graph, const std::string& name, const Tensor& x, std::int64_t axis, std::int64_t first,
             std::int64_t last);
Tensor concatenate(Graph& graph, const std::string& name, const std::vector<Tensor>& parts, std::int64_t axis);
// Splits the last dimension into equal parts named "name/part".
std::vector<Tensor> split(Graph& graph, const std::string& name, const Tensor& x,
                          const std::vector<std::string>& parts);
// Adds zeros after the last element of each axis.
Tensor pad_end(Graph& graph, const std::string& name, const Tensor& x, const Shape& added);
// Rolls an axis by `shift` as torch.roll does; a positive shift is towards higher indices.
Tensor roll(Graph& graph, const std::string& name, const Tensor& x, std::int64_t axis, std::int64_t shift);
// Returns the element at `index` of an axis, without that axis.
Tensor select(Graph& graph, const std::string& name, const Tensor& x, std::int64_t axis, std::int64_t index);
// Returns the rows of `table` [rows, columns] that the constant `indices` of `shape` name, as [shape…, columns].
Tensor look_up(Graph& graph, const std::string& name, const Tensor& table, const Shape& shape,
               std::vector<std::int64_t> indices);
// Repeats `row` [1, …] once per sample of x: [batch, …].
Tensor repeat_for_batch(Graph& graph, const std::string& name, const Tensor& row, const Tensor& x);

}  // namespace ngb::zoo
