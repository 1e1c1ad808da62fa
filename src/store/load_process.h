// SPDX-License-Identifier: Apache-2.0
// Loads what was measured in one process. All functions throw SqlError.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "store/rows.h"
#include "store/sqlite.h"
#include "store/store.h"

namespace ngb::store {

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
// inferences in flight and for one whose requests arrived at random.
void load_details(sql::Database& database, Detail detail, bool has_latencies, LoadedProcess& loaded);

}  // namespace ngb::store
