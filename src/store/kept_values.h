// SPDX-License-Identifier: Apache-2.0
// What a file keeps that can be computed again: the values of cells by families, and the numbers that span cells by
// parts. For this room only; everything throws SqlError.
#pragma once

#include <cstdint>
#include <vector>

#include "store/sqlite.h"
#include "store/store.h"

namespace ngb::store {

// These read what the file keeps, whether it is up to date or not.
std::vector<DerivedValue> read_derived(const sql::Database& database);
std::vector<SeriesPart> read_series(const sql::Database& database);

// A commit of ngb that records something raises the file's revision and its change counter by one each, so a difference
// between the two tells that another program has changed the file. Returns false then, and if nothing is kept.
bool is_kept_by_ngb_only(const sql::Database& database);

// Begins a transaction to save what was computed in this state of the file. Returns false, without a transaction, if
// the file is no longer in it or does not count its changes. Removes all that is kept if another program has changed
// the file since, and notes the state that the next commit makes.
bool begin_keeping(sql::Database& database, const FileState& state);

// Removes all that is kept.
void remove_kept(sql::Database& database);

FileState state_of(const sql::Database& database);

}  // namespace ngb::store
