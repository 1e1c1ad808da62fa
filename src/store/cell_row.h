// SPDX-License-Identifier: Apache-2.0
// Reads what the row of a cell and that of its model say of it, for this room only.
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "base/result.h"
#include "store/sqlite.h"
#include "work/compiler.h"
#include "work/configuration.h"
#include "work/property.h"

namespace ngb::store {

// Returns the kind of processor that a cell's inference ran on: "cpu", "gpu" or "npu". `reported` holds the values of
// the fact `device` of the cell's processes: "CPU", "cuda", "cuda:0", "GPU.1", … If it is empty, the cell's option
// `device` or `provider` decides. The value is unknown if the processes report several kinds or a word that means none
// of the three, or if neither facts nor options name one; options that have their defaults are not in `options`.
Known<std::string> compute_device_of(const std::set<std::string>& reported, const work::Options& options);

// Returns the column in which the results file keeps a property, with its table; "" if it does not keep it.
std::string column_of(const work::Property& property);

// Returns the columns of cell and model that `configuration_in` reads, for a SELECT; and how many these are.
const std::string& configuration_columns();
int configuration_column_count();

// Returns what these columns, of which the first is number `first` of the row, say; the compute device is unknown.
// Throws SqlError if they say what no study can.
work::Configuration configuration_in(const sql::Database& database, const sql::Statement& row, int first);

inline constexpr std::size_t kMostNameBytes = 10'000;  // of a path as the model's label, for example
inline constexpr std::size_t kMostOptionsBytes = 100'000;

// Returns the text of a column. Throws SqlError if it is longer than any that a study can say: tables and pages would
// take minutes.
std::string name_in(const sql::Database& database, const sql::Statement& row, int column,
                    std::size_t most_bytes = kMostNameBytes);

// Throws SqlError if the JSON is nested deeper than in any study, because parsing it could exhaust the stack.
void require_shallow(const sql::Database& database, const std::string& text);

}  // namespace ngb::store
