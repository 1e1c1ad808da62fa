// SPDX-License-Identifier: Apache-2.0
// What a Store holds.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "store/sqlite.h"
#include "store/store.h"
#include "store/writer_lock.h"

namespace ngb::store {

// The view `origin` as a table of a query, since a file's own views are not trusted: WITH <this> SELECT … FROM alike.
inline constexpr const char* kAlike =
    "alike AS MATERIALIZED (SELECT cell_key, origin, count(DISTINCT process_index) AS processes, row_number() OVER "
    "(PARTITION BY cell_key ORDER BY min(count(DISTINCT process_index), planned_processes) DESC, "
    "max(process_key) DESC) AS rank FROM process JOIN cell USING (cell_key) WHERE is_complete = 1 "
    "GROUP BY cell_key, origin)";

struct Store::Implementation {
  // What record() has looked up. Forgotten when a transaction is rolled back.
  struct Known {
    struct Device {
      std::int64_t run_key = 0;
      std::uint64_t last_sequence = 0;
      bool is_ahead = false;                               // of the file: last_sequence is written with the commit
      int attempts = 1;                                    // that the study allows each process
      std::map<std::string, std::int64_t> environments{};  // hash -> key of the latest
    };
    std::map<std::pair<std::string, std::string>, Device> devices{};  // {run id, device}
    std::map<std::string, std::int64_t> made_with{};                  // the hashes -> key
  };

  // The file as it was opened; none: it is only read.
  struct FileMark {
    dev_t device = 0;
    ino_t inode = 0;
  };

  std::optional<WriterLock> lock;  // before the database: held until it is closed
  sql::Database database;
  Known known{};
  std::uint64_t pending = 0;  // events recorded since the last flush
  bool is_changed = false;    // the revision is raised in the open transaction
  std::optional<FileMark> mark{};
  std::optional<Error> lost{};  // why some of these are forgotten; the next flush tells

  // Throws SqlError when the results' name does not lead to the file any more that is written.
  void require_same_file() const;
  // Opens a transaction where none is open; the first change in it raises the revision.
  void begin_change() {
    open_transaction();
    if (std::exchange(is_changed, true)) return;
    database.kept("UPDATE revision SET revision = revision + 1").run();
  }
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
  }
  // As sql::guarded, and an Error rolls everything back to the last flush.
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
