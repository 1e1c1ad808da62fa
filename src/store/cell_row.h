// SPDX-License-Identifier: Apache-2.0
// Reads what the row of a cell and that of its model say of it, for this room only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "base/result.h"
#include "store/rows.h"
#include "store/sqlite.h"
#include "store/store.h"
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

// Returns what these columns say. The first of them is column `first` of the row. The compute device is unknown.
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

// Loads what was measured in one process. All functions throw SqlError.

// A process as it is loaded, with what decides whether it counts.
struct LoadedProcess {
  std::int64_t process_key = 0;
  std::int64_t environment_key = 0;  // 0: the device had not described itself
  bool is_complete = false;
  std::string origin{};
  std::optional<std::string> device{};  // the fact `device`
  RecordedProcess process{};
};

// Calls `use` with each row of the statement, whose only parameter is `key`. `select` must be a string literal.
template <class Use>
void each_row(sql::Database& database, const char* select, std::int64_t key, const Use& use) {
  sql::Statement& row = database.kept(select);
  const sql::Resetting resetting(row);
  row.bind(key);
  while (row.step()) use(row);
}

// Adds to a process what `detail` has beside the table of processes. `has_latencies` is true for a cell with several
// inferences in flight and for one whose requests arrived at random. A process that fed outputs back has some as well.
void load_details(sql::Database& database, Detail detail, bool has_latencies, LoadedProcess& loaded);

}  // namespace ngb::store
