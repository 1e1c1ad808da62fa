// SPDX-License-Identifier: Apache-2.0
#include "store/copy_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/file.h"
#include "base/hash.h"
#include "base/json_text.h"
#include "base/text.h"
#include "plan/plan.h"
#include "store/cell_row.h"

namespace ngb::store {
namespace {

// The tables whose rows other tables refer to by NAME_key, each after those that it refers to. Rows that several files
// share are found again by the natural key; rows of the others belong to one file.
struct KeyedTable {
  const char* name;
  std::vector<std::string> natural_key{};
};
const std::vector<KeyedTable>& keyed_tables() {
  static const std::vector<KeyedTable> kTables{
      {"run", {}},
      {"model", {"model_hash", "batch"}},
      {"toolchain", {"device", "compiler", "compiler_version"}},
      {"made_with", {"build_sha256", "files_sha256", "model_sha256", "reference_key", "reference_sha256"}},
      {"environment", {}},
      {"cell", {"cell_id"}},
      {"graph", {"graph_sha256"}},
      {"kernels", {"kernels_sha256"}},
      {"process", {}}};
  return kTables;
}

// These are not copied row by row: they describe the file itself, or are made by this file's own functions.
constexpr std::array kNotCopied{"protocol",    "revision", "derived",     "presence", "toolchain_manifest",
                                "source_cell", "source",   "series_part", "series",   "series_cell",
                                "conclusion"};

std::string marks(std::size_t count) { return text::join(std::vector<std::string>(count, "?"), ", "); }

}  // namespace

RowCopier::RowCopier(sql::Database& from, sql::Database& to, const Source& source,
                     const std::function<bool()>& is_stopped)
    : from_(from), to_(to), source_(source), is_stopped_(is_stopped) {}

void RowCopier::copy_all(std::vector<MovedLog>& logs) {
  add_source();
  find_cell_ids();
  std::set<std::string> done(kNotCopied.begin(), kNotCopied.end());
  for (const KeyedTable& table : keyed_tables()) {
    copy_keyed(table.name, table.natural_key);
    done.insert(table.name);
  }
  std::vector<std::string> others;
  sql::Statement names = to_.statement("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid");
  while (names.step()) {
    if (!done.contains(names.text(0))) others.push_back(names.text(0));
  }
  for (const std::string& name : others) copy_plain(name);
  add_builds();
  add_threads();
  add_source_cells();
  note_logs(logs);
}

RowCopier::Table RowCopier::table_called(const std::string& name) const {
  Table table{.name = name};
  sql::Statement columns = to_.statement("SELECT name, type FROM pragma_table_info(?) ORDER BY cid");
  columns.bind(name);
  while (columns.step()) {
    Column column{.name = columns.text(0)};
    if (column.name == name + "_key") {
      table.has_own_key = true;
      continue;
    }
    if (column.name.ends_with("_key") && columns.text(1) == "INTEGER") {
      column.content = Column::Content::key;
    } else if (column.name == "device") {
      column.content = Column::Content::device;
    } else if (column.name == "cell_id") {
      column.content = Column::Content::cell_id;
    } else if (column.name == "log_path") {
      column.content = Column::Content::log_path;
    }
    table.columns.push_back(std::move(column));
  }
  return table;
}

std::string RowCopier::names_of(const Table& table) {
  std::vector<std::string> names;
  for (const Column& column : table.columns) names.push_back(column.name);
  return text::join(names, ", ");
}

// Makes the rows of `source`: those of a file that was merged before, else one for the file. The key 0 stands for what
// was measured into the file itself.
void RowCopier::add_source() {
  auto& keys = keys_["source_key"];
  sql::Statement row = from_.statement("SELECT source_key, folder FROM source ORDER BY source_key");
  sql::Statement insert = to_.statement("INSERT INTO source (folder) VALUES (?)");
  while (row.step()) {
    insert.run(row.text(1));
    keys[row.integer(0)] = to_.last_key();
  }
  was_merged_ = !keys.empty();
  if (was_merged_) return;
  const std::string folder = source_.file.parent_path().string();
  insert.run(folder.empty() ? std::string(".") : folder);
  keys[0] = to_.last_key();
}

// An id follows from the cell's properties, the name of the device among them. An id that does not, which an earlier
// formula made, becomes one that follows from the id and the new name.
void RowCopier::find_cell_ids() {
  sql::Statement row = from_.statement(
      fmt::format("SELECT {}, cell_id FROM cell JOIN model USING (model_key)", configuration_columns()));
  while (row.step()) {
    work::Configuration of = configuration_in(from_, row, 0);
    const std::string id = row.text(configuration_column_count());
    const std::string name = device_for(of.device);
    std::string& made = cell_ids_[id];
    made = id;
    if (name == of.device) continue;
    made = hash::sha256(fmt::format("{}\n{}", id, name)).substr(0, 16);
    for (const std::string& label : {std::string(), of.compiler.label}) {
      if (plan::cell_id(of, label) != id) continue;
      of.device = name;
      made = plan::cell_id(of, label);
      break;
    }
  }
}

void RowCopier::copy_keyed(const std::string& name, const std::vector<std::string>& natural_key) {
  const Table table = table_called(name);
  const std::string own = name + "_key";
  const std::string list = names_of(table);
  sql::Statement row = from_.statement(fmt::format("SELECT {}, {} FROM {} ORDER BY {}", own, list, name, own));
  sql::Statement insert =
      to_.statement(fmt::format("INSERT INTO {} ({}) VALUES ({}) {}", name, list, marks(table.columns.size()),
                                natural_key.empty() ? "" : "ON CONFLICT DO NOTHING"));
  const std::string condition = natural_key.empty() ? "0" : text::join(natural_key, " = ? AND ") + " = ?";
  sql::Statement known = to_.statement(fmt::format("SELECT {} FROM {} WHERE {}", own, name, condition));
  auto& keys = keys_[own];
  while (row.step()) {
    stop_if_asked();
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      bind(insert, static_cast<int>(i) + 1, table.columns[i], row, static_cast<int>(i) + 1);
    }
    insert.step();
    if (to_.changed()) {
      keys[row.integer(0)] = to_.last_key();
      continue;
    }
    for (std::size_t i = 0; i < natural_key.size(); ++i) {
      const auto column = std::find_if(table.columns.begin(), table.columns.end(),
                                       [&](const Column& each) { return each.name == natural_key[i]; });
      const auto place = static_cast<int>(column - table.columns.begin()) + 1;
      bind(known, static_cast<int>(i) + 1, *column, row, place);
    }
    if (!known.step()) from_.refuse(fmt::format("a row of {} cannot be copied", name));
    keys[row.integer(0)] = known.integer(0);
    known.reset();
  }
}

void RowCopier::copy_plain(const std::string& name) {
  const Table table = table_called(name);
  if (table.has_own_key) {
    throw sql::SqlError({fmt::format("the table {} has keys that cannot be merged", name), to_.file().string(), {}},
                        SQLITE_ERROR);
  }
  const std::string list = names_of(table);
  const bool is_shared = name == "manifest" || name == "model_input";  // their content says what they are
  sql::Statement row = from_.statement(fmt::format("SELECT {} FROM {}", list, name));
  sql::Statement insert =
      to_.statement(fmt::format("INSERT INTO {} ({}) VALUES ({}) {}", name, list, marks(table.columns.size()),
                                is_shared ? "ON CONFLICT DO NOTHING" : ""));
  while (row.step()) {
    stop_if_asked();
    int index = 0;
    for (const Column& column : table.columns) {
      bind(insert, index + 1, column, row, index);
      ++index;
    }
    insert.step();
  }
}

// The builds of a toolchain are listed in the order in which they were first seen: those of earlier sources first.
void RowCopier::add_builds() {
  sql::Statement row =
      from_.statement("SELECT toolchain_key, manifest_sha256 FROM toolchain_manifest ORDER BY toolchain_key, position");
  sql::Statement insert = to_.statement(
      "INSERT INTO toolchain_manifest VALUES (?1, ?2, (SELECT count(*) FROM toolchain_manifest WHERE toolchain_key = "
      "?1)) ON CONFLICT DO NOTHING");
  while (row.step()) insert.run(key_for("toolchain_key", row.integer(0)), row.text(1));
}

// A cell whose threads the device decides has none until a process has reported them, which may be in a later source.
void RowCopier::add_threads() {
  sql::Statement row = from_.statement("SELECT cell_key, threads FROM cell WHERE threads IS NOT NULL");
  sql::Statement update = to_.statement("UPDATE cell SET threads = ? WHERE cell_key = ? AND threads IS NULL");
  while (row.step()) update.run(row.integer(1), key_for("cell_key", row.integer(0)));
}

void RowCopier::add_source_cells() {
  sql::Statement row = from_.statement(
      was_merged_
          ? "SELECT source_key, cell_id, cell_key, device, model_label, compiler_label FROM source_cell"
          : "SELECT 0, cell_id, cell_key, device, label, compiler_label FROM cell JOIN model USING (model_key)");
  sql::Statement insert = to_.statement("INSERT INTO source_cell VALUES (?, ?, ?, ?, ?, ?)");
  while (row.step()) {
    insert.run(key_for("source_key", row.integer(0)), row.text(1), key_for("cell_key", row.integer(2)), row.text(3),
               row.text(4), row.text(5));
  }
}

void RowCopier::note_logs(std::vector<MovedLog>& logs) {
  sql::Statement row = from_.statement("SELECT log_path, source_key FROM process WHERE log_path <> ''");
  while (row.step()) {
    const std::string path = row.text(0);
    const auto log = file::find_within(source_.file.parent_path(), path);
    if (log) logs.push_back({*log, log_for(path)});
  }
}

void RowCopier::bind(sql::Statement& to, int index, const Column& column, const sql::Statement& row, int at) const {
  switch (column.content) {
    case Column::Content::unchanged:
      return to.bind_column(index, row, at);
    case Column::Content::key: {
      const bool is_own = column.name == "source_key";  // NULL stands for the file itself
      if (row.is_null(at) && !is_own) return to.bind_at(index, std::nullopt);
      return to.bind_at(index, key_for(column.name, row.integer(at)));
    }
    case Column::Content::device:
      return to.bind_at(index, device_for(row.text(at)));
    case Column::Content::cell_id:
      return to.bind_at(index, cell_ids_.at(row.text(at)));
    case Column::Content::log_path:
      return to.bind_at(index, log_for(row.text(at)));
  }
}

std::int64_t RowCopier::key_for(const std::string& column, std::int64_t old_key) const {
  const auto keys = keys_.find(column);
  const auto found = keys == keys_.end() ? decltype(keys->second.end()){} : keys->second.find(old_key);
  if (keys == keys_.end() || found == keys->second.end()) {
    from_.refuse(fmt::format("there is no row with the {} {}", column, old_key));
  }
  return found->second;
}

std::string RowCopier::device_for(const std::string& device) const {
  const auto named = source_.device_names.find(device);
  return named == source_.device_names.end() ? device : named->second;
}

// The logs of each results folder are kept in a folder of their own, because names of two folders' logs may be equal.
std::string RowCopier::log_for(const std::string& log_path) const {
  if (log_path.empty()) return {};
  for (const auto& [old_key, new_key] : keys_.at("source_key")) {
    const std::string before = fmt::format("sources/{}/", old_key);
    if (was_merged_ && log_path.starts_with(before)) {
      return fmt::format("sources/{}/{}", new_key, log_path.substr(before.size()));
    }
  }
  return fmt::format("sources/{}/{}", keys_.at("source_key").begin()->second, log_path);
}

void RowCopier::stop_if_asked() {
  constexpr std::uint64_t kRowsBetween = 256;
  if (rows_++ % kRowsBetween != 0 || !is_stopped_()) return;
  throw sql::SqlError({"interrupted; nothing was written", {}, {}}, SQLITE_INTERRUPT);
}

}  // namespace ngb::store
