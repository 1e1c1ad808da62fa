// SPDX-License-Identifier: Apache-2.0
// Copies all rows of a results file into another one that holds those of other files, for this room only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "store/merge.h"
#include "store/sqlite.h"

namespace ngb::store {

class RowCopier {
 public:
  // All arguments outlive the object. `from` has the newest version, and `to` has an open transaction.
  RowCopier(sql::Database& from, sql::Database& to, const Source& source, const std::function<bool()>& is_stopped);

  // Copies everything but the derived values and the presence of runs. Appends the logs of the processes to `logs`.
  // Throws SqlError if a row refers to none, or if `is_stopped` returns true.
  void copy_all(std::vector<MovedLog>& logs);

 private:
  struct Column {
    enum class Content { unchanged, key, device, cell_id, log_path };
    std::string name{};
    Content content = Content::unchanged;
  };
  struct Table {
    std::string name{};
    std::vector<Column> columns{};  // without the table's own key
    bool has_own_key = false;       // NAME_key, which is made anew
  };

  [[nodiscard]] Table table_called(const std::string& name) const;
  static std::string names_of(const Table& table);  // "a, b"
  void add_source();
  void find_cell_ids();
  void copy_keyed(const std::string& name, const std::vector<std::string>& natural_key);
  void copy_plain(const std::string& name);
  void add_builds();
  void add_threads();
  void add_source_cells();
  void note_logs(std::vector<MovedLog>& logs);
  void bind(sql::Statement& to, int index, const Column& column, const sql::Statement& row, int at) const;
  [[nodiscard]] std::int64_t key_for(const std::string& column, std::int64_t old_key) const;
  [[nodiscard]] std::string device_for(const std::string& device) const;
  [[nodiscard]] std::string log_for(const std::string& log_path) const;
  void stop_if_asked();

  sql::Database& from_;
  sql::Database& to_;
  const Source& source_;
  const std::function<bool()>& is_stopped_;
  std::uint64_t rows_ = 0;
  bool was_merged_ = false;                                                       // the source holds several folders
  std::map<std::string, std::unordered_map<std::int64_t, std::int64_t>> keys_{};  // "run_key" -> old -> new
  std::map<std::string, std::string> cell_ids_{};                                 // old -> new
};

}  // namespace ngb::store
