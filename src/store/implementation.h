// SPDX-License-Identifier: Apache-2.0
// What a Store holds.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "store/sqlite.h"
#include "store/store.h"
#include "store/writer_lock.h"

namespace ngb::store {

struct Store::Implementation {
  // What record() has looked up. Forgotten when a transaction is rolled back.
  struct Known {
    struct Device {
      std::int64_t run_key = 0;
      std::uint64_t last_sequence = 0;
      bool is_ahead = false;                               // of the file: last_sequence is written with the commit
      std::map<std::string, std::int64_t> environments{};  // hash -> key of the latest
    };
    std::map<std::pair<std::string, std::string>, Device> devices{};  // {run id, device}
  };

  std::optional<WriterLock> lock;  // before the database: held until it is closed
  sql::Database database;
  Known known{};
  std::uint64_t pending = 0;    // events recorded since the last flush
  std::optional<Error> lost{};  // why some of these are forgotten; the next flush tells

  // Opens a transaction where none is open; the first change in it raises the revision.
  void begin_change() {
    if (database.is_in_transaction()) return;
    database.begin();
    database.kept("UPDATE revision SET revision = revision + 1").run();
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
