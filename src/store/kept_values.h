// SPDX-License-Identifier: Apache-2.0
// Reads the values that a file keeps, whether they are up to date or not, for this room only. Throws SqlError.
#pragma once

#include <vector>

#include "store/sqlite.h"
#include "store/store.h"

namespace ngb::store {

std::vector<DerivedValue> read_derived(const sql::Database& database);
std::vector<SeriesPart> read_series(const sql::Database& database);

}  // namespace ngb::store
