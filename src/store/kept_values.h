// SPDX-License-Identifier: Apache-2.0
// What a file keeps for those who query it and that can be computed again: the values of cells, and the numbers that
// span cells. For this room only; everything throws SqlError.
#pragma once

#include <vector>

#include "store/sqlite.h"
#include "store/store.h"

namespace ngb::store {

std::vector<DerivedValue> read_derived(const sql::Database& database);
std::vector<SeriesPart> read_series(const sql::Database& database);

// Removes all that is kept.
void remove_kept(sql::Database& database);

}  // namespace ngb::store
