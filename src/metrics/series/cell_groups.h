// SPDX-License-Identifier: Apache-2.0
// Groups cells, and forms one number of each group from its cells' metrics or ratios.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "metrics/series/relation.h"
#include "metrics/series/series.h"

namespace ngb::metrics::series {

using Cells = std::vector<std::size_t>;  // indices of an Analysis

// Returns the cells of each group, in the order of their first cells. Cells with the key "" are left out.
std::vector<Cells> grouped(const Analysis& analysis, const Part& part,
                           const std::function<std::string(const store::CellData&)>& key_of);

// Returns the row of a group without its number. The cells agree in device and setting; `subject` names them.
store::SeriesValue row_of_group(const Analysis& analysis, const Cells& cells, std::string subject);

// Gives the row its number, or the reason why it has none.
void set_value(store::SeriesValue& row, Value value);

using NameOf = std::function<std::string(const store::CellData&)>;  // what the cells of a group are called

// Fills a row for each group with a function of its cells' values of a metric. A row has no value if a cell has none.
std::vector<store::SeriesValue> of_metric(
    const Analysis& analysis, const std::vector<Cells>& groups, const NameOf& name_of, const char* metric,
    const std::function<void(const std::vector<double>&, store::SeriesValue&)>& combine);

// Returns weight · log of a cell's ratio.
using LogOf = std::function<Relation(std::size_t cell, double weight)>;
// Fills a row for each group with the geometric mean of its cells' ratios. A row has no value if a cell has none.
std::vector<store::SeriesValue> geometric_mean(const Analysis& analysis, const std::vector<Cells>& groups,
                                               const NameOf& name_of, const LogOf& log_of);

// Removes the groups of cells that are their own baselines.
std::vector<Cells> without_baselines(const Analysis& analysis, std::vector<Cells> groups);

}  // namespace ngb::metrics::series
