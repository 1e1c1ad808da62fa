// SPDX-License-Identifier: Apache-2.0
// Holds the state of a Store: its lock, its database and what is not committed yet.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "store/profiles.h"
#include "store/sqlite.h"
#include "store/store.h"
#include "store/writer_lock.h"

namespace ngb::store {

// Gives a query the view `origin` as a table `alike`: WITH <this> SELECT … FROM alike. A file's own views are not
// trusted.
inline constexpr const char* kAlike =
    "alike AS MATERIALIZED (SELECT cell_key, origin, count(DISTINCT process_index) AS processes, row_number() OVER "
    "(PARTITION BY cell_key ORDER BY min(count(DISTINCT process_index), planned_processes) DESC, "
    "max(process_key) DESC) AS rank FROM process JOIN cell USING (cell_key) WHERE is_complete = 1 "
    "GROUP BY cell_key, origin)";

struct Store::Implementation {
  // Caches what record() has looked up. It is cleared when a transaction is rolled back.
  struct Known {
    struct Device {
      std::int64_t run_key = 0;
      std::uint64_t last_sequence = 0;
      bool is_ahead = false;                               // last_sequence is not in the file before the commit
      work::Limits limits{};                               // the attempts that the study allows each process
      std::map<std::string, std::int64_t> environments{};  // hash -> key of the newest
    };
    std::map<std::pair<std::string, std::string>, Device> devices{};  // {run id, device}
    std::map<std::string, std::int64_t> made_with{};                  // the hashes -> key
  };

  // Identifies the file that was opened to be written.
  struct FileMark {
    dev_t device = 0;
    ino_t inode = 0;
  };

  std::optional<WriterLock> lock;  // declared before the database, so that it is held until that is closed
  sql::Database database;
  Known known{};
  ProfileShelf shelf{};
  std::uint64_t pending = 0;       // events recorded since the last flush
  bool is_changed = false;         // the revision is raised in the open transaction
  bool may_keep_values = true;     // false: they were removed, perhaps by the open transaction
  std::optional<FileMark> mark{};  // nothing: the file is only read
  std::optional<Error> lost{};     // why pending events were discarded; the next flush returns it

  // Throws SqlError if the file was deleted, moved or replaced since it was opened.
  void require_same_file() const;
  // Opens a transaction if none is open. The first change in a transaction raises the revision.
  void begin_change() {
    open_transaction();
    if (std::exchange(is_changed, true)) return;
    database.kept("UPDATE revision SET revision = revision + 1").run();
  }
  // Does the same for a change after which values have to be computed again: removes those that are kept.
  void begin_result();
  void open_transaction() {
    if (database.is_in_transaction()) return;
    require_same_file();
    is_changed = false;
    database.begin();
  }
  void commit_change() {
    if (!database.is_in_transaction()) return;
    for (auto& [device, state] : known.devices) {
      if (!state.is_ahead) continue;
      database.kept("UPDATE run_device SET last_sequence = ? WHERE run_key = ? AND device = ?")
          .run(state.last_sequence, state.run_key, device.second);
      state.is_ahead = false;
    }
    database.commit();
    require_same_file();
    pending = 0;
  }
  void forget_change() noexcept {
    database.roll_back();
    known = {};
    pending = 0;
    may_keep_values = true;
  }
  // Does what sql::guarded does. An error also rolls back everything since the last flush.
  template <class Work>
  auto changing(Work&& work) -> decltype(work()) {
    auto result = sql::guarded(std::forward<Work>(work));
    if (result) return result;
    if (pending > 0) lost = result.error();
    forget_change();
    return result;
  }
};

}  // namespace ngb::store
