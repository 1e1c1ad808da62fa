// SPDX-License-Identifier: Apache-2.0
#include "store/kept_values.h"

namespace ngb::store {
namespace {

std::int64_t wrapped(std::int64_t counter) { return static_cast<std::int64_t>(static_cast<std::uint32_t>(counter)); }

}  // namespace

FileState state_of(const sql::Database& database) {
  return {database.integer("SELECT revision FROM revision"), database.change_counter()};
}

bool is_kept_by_ngb_only(const sql::Database& database) {
  const FileState now = state_of(database);
  if (!now.change_counter) return false;
  sql::Statement kept = database.statement("SELECT revision, change_counter FROM kept_state");
  if (!kept.step()) return false;
  return wrapped(*now.change_counter - kept.integer(1)) == wrapped(now.revision - kept.integer(0));
}

bool begin_keeping(sql::Database& database, const FileState& state) {
  database.begin();
  const FileState now = state_of(database);
  if (!now.change_counter || now != state) {
    database.roll_back();
    return false;
  }
  if (!is_kept_by_ngb_only(database)) remove_kept(database);
  database.execute("DELETE FROM kept_state");
  database.kept("INSERT INTO kept_state VALUES (1, ?, ?)").run(now.revision, wrapped(*now.change_counter + 1));
  return true;
}

// The tables are in the order in which rows may be removed: none that others refer to.
void remove_kept(sql::Database& database) {
  database.execute(
      "DELETE FROM derived; DELETE FROM derived_family; DELETE FROM conclusion; DELETE FROM series_cell; "
      "DELETE FROM series; DELETE FROM series_part; DELETE FROM kept_state");
}

}  // namespace ngb::store
