// SPDX-License-Identifier: Apache-2.0
// Finds the flags of all cells of some results, without their values.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/merge.h"

namespace ngb::metrics {

struct Flag;  // metric.h

// A flag of a cell, and the value that raised it. `flag` is a row of flag_table().
struct RaisedFlag {
  const Flag* flag = nullptr;
  double value = 0;
};

// Returns the flags of each cell that has some, by its id, in the table's order. Their baseline is that of the last
// study that wrote to the last file. Up to `threads` threads read. Returns an error as FamilyReader::open does.
Result<std::map<std::string, std::vector<RaisedFlag>>> raised_flags(const std::vector<store::Source>& sources,
                                                                    int threads);

}  // namespace ngb::metrics
