// SPDX-License-Identifier: Apache-2.0
#include "store/merge.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "store/copy_rows.h"
#include "store/implementation.h"
#include "store/open.h"

namespace ngb::store {
namespace {

std::string folder_of(const Source& source) {
  const std::string folder = source.file.parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string new_name(const Source& source, const std::string& device) {
  const auto named = source.device_names.find(device);
  return named == source.device_names.end() ? device : named->second;
}

[[noreturn]] void refuse_sources(std::string what, const Source& one, const Source& other, std::string next) {
  throw sql::SqlError({std::move(what), fmt::format("{} and {}", folder_of(one), folder_of(other)), std::move(next)},
                      SQLITE_ERROR);
}

// Checks each source against those before it.
class MergeRules {
 public:
  // Throws SqlError if the source cannot be merged with those that were added.
  void add(const sql::Database& database, const Source& source) {
    require_distinct_names(database, source);
    require_new_runs(database, source);
    require_same_protocol(database, source);
    require_same_machines(database, source);
  }

 private:
  static void require_distinct_names(const sql::Database& database, const Source& source) {
    std::map<std::string, std::string> former;  // new name -> name in the file
    sql::Statement row = database.statement("SELECT device FROM run_device UNION SELECT device FROM cell");
    while (row.step()) {
      const std::string device = row.text(0);
      const auto [other, is_new] = former.emplace(new_name(source, device), device);
      if (is_new) continue;
      throw sql::SqlError(
          {fmt::format("two devices would be called {}: {} and {}", other->first, other->second, device),
           folder_of(source), "choose another name for one of them"},
          SQLITE_ERROR);
    }
  }

  void require_new_runs(const sql::Database& database, const Source& source) {
    sql::Statement row = database.statement("SELECT run_id FROM run ORDER BY run_key");
    while (row.step()) {
      const auto [known, is_new] = runs_.emplace(row.text(0), &source);
      if (is_new) continue;
      refuse_sources(
          fmt::format("both hold the run {}: one is a copy of the other, or was merged from it", known->first),
          *known->second, source, "leave one of the two out");
    }
  }

  void require_same_protocol(const sql::Database& database, const Source& source) {
    std::map<std::string, std::string> own;
    sql::Statement row = database.statement("SELECT key, value FROM protocol");
    while (row.step()) own.emplace(row.text(0), row.text(1));
    if (own.empty()) return;
    if (protocol_of_ == nullptr) {
      protocol_of_ = &source;
      protocol_ = std::move(own);
      return;
    }
    std::set<std::string> keys;
    for (const auto* const side : {&protocol_, &own}) {
      for (const auto& [key, value] : *side) keys.insert(key);
    }
    std::vector<std::string> differences;
    const auto value_in = [](const auto& side, const std::string& key) {
      const auto found = side.find(key);
      return found == side.end() ? std::string("not set") : found->second;
    };
    for (const std::string& key : keys) {
      const std::string first = value_in(protocol_, key);
      const std::string second = value_in(own, key);
      if (first != second) differences.push_back(fmt::format("{}: {} and {}", key, first, second));
    }
    if (differences.empty()) return;
    refuse_sources("measured under unlike protocols: " + text::join(differences, "; "), *protocol_of_, source,
                   "read each of them alone, or measure both with the same keys");
  }

  // Compares what no update and no setting of a machine changes.
  void require_same_machines(const sql::Database& database, const Source& source) {
    std::map<std::pair<std::string, std::string>, std::string> own;  // {device, entry} -> newest value
    sql::Statement row = database.statement(
        "SELECT device, name, value FROM environment JOIN environment_entry USING (environment_key) "
        "WHERE name IN ('cpu_model', 'cpu_cores', 'machine', 'gpu') AND value IS NOT NULL ORDER BY environment_key");
    while (row.step()) own[{new_name(source, row.text(0)), row.text(1)}] = row.text(2);
    for (const auto& [entry, value] : own) {
      const auto [known, is_new] = machines_.emplace(entry, std::pair(value, &source));
      if (is_new || known->second.first == value) continue;
      refuse_sources(fmt::format("{} is not the same machine in both: {}: {} and {}", entry.first, entry.second,
                                 known->second.first, value),
                     *known->second.second, source,
                     fmt::format("give one of them another name: --as {}:{}=NAME", folder_of(source),
                                 name_in_file(source, entry.first)));
    }
  }

  static std::string name_in_file(const Source& source, const std::string& device) {
    for (const auto& [old_name, name] : source.device_names) {
      if (name == device) return old_name;
    }
    return device;
  }

  std::map<std::string, const Source*> runs_{};
  const Source* protocol_of_ = nullptr;
  std::map<std::string, std::string> protocol_{};
  std::map<std::pair<std::string, std::string>, std::pair<std::string, const Source*>> machines_{};
};

// A row that breaks a rule of the tables comes from a damaged source, not from the new file.
void copy(sql::Database& from, sql::Database& to, const Source& source, const std::function<bool()>& is_stopped,
          std::vector<MovedLog>& logs) {
  try {
    RowCopier(from, to, source, is_stopped).copy_all(logs);
  } catch (const sql::SqlError& error) {
    constexpr int kPrimary = 0xFF;
    if ((error.code & kPrimary) != SQLITE_CONSTRAINT) throw;
    sql::refuse_damaged(source.file, error.error.what);
  }
}

std::vector<MovedLog> fill(sql::Database& to, const std::vector<Source>& sources,
                           const std::function<bool()>& is_stopped) {
  std::vector<MovedLog> logs;
  MergeRules rules;
  to.begin();
  for (const Source& source : sources) {
    sql::Database from = open_to_read(source.file, migrations());
    const sql::Transaction one_state(from, sql::Transaction::Kind::read);
    rules.add(from, source);
    sql::Statement row = from.statement("SELECT key, value FROM protocol");
    sql::Statement insert = to.statement("INSERT INTO protocol VALUES (?, ?) ON CONFLICT DO NOTHING");
    while (row.step()) insert.run(row.text(0), row.text(1));
    copy(from, to, source, is_stopped, logs);
  }
  to.execute("UPDATE revision SET revision = 1");
  to.commit();
  return logs;
}

}  // namespace

Result<std::vector<MovedLog>> merge(const std::vector<Source>& sources, const std::filesystem::path& file,
                                    const std::function<bool()>& is_stopped) {
  return sql::guarded([&]() -> Result<std::vector<MovedLog>> {
    sql::Database to = open_new(file, migrations());
    return fill(to, sources, is_stopped);
  });
}

bool is_one_file(const std::vector<Source>& sources) {
  return sources.size() == 1 && sources.front().device_names.empty();
}

Result<Store> open_sources(const std::vector<Source>& sources) {
  if (is_one_file(sources)) return Store::open(sources.front().file, Mode::read_only);
  return sql::guarded([&]() -> Result<Store> {
    sql::Database temporary = open_new({}, migrations());
    fill(temporary, sources, [] { return false; });
    return Store(
        std::make_unique<Store::Implementation>(Store::Implementation{.lock = {}, .database = std::move(temporary)}));
  });
}

}  // namespace ngb::store
