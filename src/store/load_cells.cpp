// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

#include "base/json_text.h"
#include "samples/sense.h"
#include "store/cell_row.h"
#include "store/implementation.h"
#include "store/protocol.h"

namespace ngb::store {
namespace {

using samples::ProcessResult;

// Returns the parameters of a recipe, of a module, or that the study gives for a file; null if there are none.
nlohmann::json parameters_of(const std::string& recipe_json) {
  if (recipe_json.empty()) return {};
  nlohmann::json recipe = json_text::parse(recipe_json);
  if (recipe.is_object() && recipe.contains("module")) recipe = nlohmann::json(recipe["module"]);
  return recipe.is_object() && recipe.contains("parameters") ? recipe["parameters"] : nlohmann::json();
}

// Returns the origin whose completed processes count, as the view `origin` of docs/results.md ranks them.
std::string origin_that_counts(const std::vector<LoadedProcess>& loaded, int planned_processes) {
  struct Completed {
    std::set<int> indices{};
    std::int64_t newest_key = 0;
  };
  std::map<std::string, Completed> origins;
  for (const LoadedProcess& each : loaded) {
    if (!each.is_complete) continue;
    Completed& completed = origins[each.origin];
    completed.indices.insert(each.process.process_index);
    completed.newest_key = std::max(completed.newest_key, each.process_key);
  }
  const auto rank = [planned_processes](const auto& origin) {
    const auto count = static_cast<int>(origin.second.indices.size());
    return std::tuple(std::min(count, planned_processes), origin.second.newest_key);
  };
  const auto best =
      std::max_element(origins.begin(), origins.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return best == origins.end() ? std::string{} : best->first;
}

// Loads cells one after the other, each with its processes. Its memory does not grow with the file.
class Loader {
 public:
  Loader(sql::Database& database, ProfileShelf& shelf, Detail detail)
      : database_(database),
        shelf_(shelf),
        detail_(detail),
        has_repetitions_(detail == Detail::speeds || detail == Detail::profiles || detail == Detail::full),
        rounds_(load_rounds()),
        has_arrivals_(has_key("arrivals")),
        is_profile_(has_key("profile")),
        has_agreement_(database.integer("SELECT EXISTS (SELECT 1 FROM agreement)") != 0) {}

  // Throws SqlError if there is no such cell.
  CellData load(std::int64_t cell_key) {
    CellData cell = load_cell(cell_key);
    if (detail_ == Detail::planned) return cell;
    std::vector<LoadedProcess> loaded = load_processes(cell_key, cell);
    const std::string counted = origin_that_counts(loaded, cell.planned_processes);
    std::set<std::string> counted_on;  // facts `device` of processes that count
    std::set<std::string> tried_on;    // … of the others
    cell.processes.reserve(static_cast<std::size_t>(std::count_if(loaded.begin(), loaded.end(), [&](const auto& each) {
      return !each.process.failure && each.origin == counted;
    })));
    for (LoadedProcess& each : loaded) {
      load_details(database_, detail_, has_arrivals_ || cell.of.compiler.in_flight != 1, each);
      if (detail_ == Detail::profiles) each.process.profile = profile_of(database_, each.process_key, shelf_);
      if (has_repetitions_ && has_agreement_) sql::load(database_, each.process_key, each.process.agreement);
      if (has_repetitions_) require_sense(cell, each.process);
      const bool is_failed = each.process.failure.has_value();
      const bool counts = !is_failed && each.origin == counted;
      if (each.device) (counts ? counted_on : tried_on).insert(*each.device);
      (is_failed ? cell.failed : counts ? cell.processes : cell.set_aside).push_back(std::move(each.process));
    }
    cell.of.compute_device = compute_device_of(counted_on.empty() ? tried_on : counted_on, cell.of.compiler.options);
    find_threads(cell);
    return cell;
  }

 private:
  // If threads were asked for by a word, they are as many as the processes that count report. The table of cells has
  // the number of the latest process.
  static void find_threads(CellData& cell) {
    if (cell.of.compiler.threads_asked.empty() || cell.processes.empty()) return;
    if (cell.processes.front().threads) cell.of.threads = cell.processes.front().threads;
  }

  // Throws SqlError if no device could have sent the process: somebody else has written it.
  void require_sense(const CellData& cell, const ProcessResult& process) const {
    constexpr int kMostAttempts = 100;  // the largest number that a study may allow
    const Status sense = samples::check_sense(process, {cell.planned_processes, kMostAttempts});
    if (sense) return;
    database_.refuse(fmt::format("process {} of cell {}: {}", process.process_index, cell.cell_id, sense.error().what));
  }

  [[nodiscard]] std::optional<work::Rounds> load_rounds() {
    sql::Statement& row = database_.kept("SELECT value FROM protocol WHERE key = 'rounds'");
    const sql::Resetting resetting(row);
    if (!row.step()) return std::nullopt;
    require_shallow(database_, row.text(0));
    return rounds_of(row.text(0));
  }

  // The protocol has these keys only if requests arrived, or if processes were profiled (store/protocol.h).
  [[nodiscard]] bool has_key(const char* key) {
    sql::Statement& row = database_.kept("SELECT 1 FROM protocol WHERE key = ?");
    const sql::Resetting resetting(row);
    row.bind(key);
    return row.step();
  }

  // Neighbouring cells have one model, so its recipe is parsed once.
  const nlohmann::json& parameters_in(std::string recipe_json) {
    if (recipe_json == recipe_json_) return parameters_;
    require_shallow(database_, recipe_json);
    parameters_ = parameters_of(recipe_json);
    recipe_json_ = std::move(recipe_json);
    return parameters_;
  }

  CellData load_cell(std::int64_t cell_key) {
    static const std::string kSelect = fmt::format(
        "SELECT cell_id, recipe_json, planned_processes, "
        "EXISTS (SELECT 1 FROM rounds_ended WHERE rounds_ended.cell_key = cell.cell_key), {} "
        "FROM cell JOIN model USING (model_key) WHERE cell_key = ?",
        configuration_columns());
    sql::Statement& row = database_.kept(kSelect.c_str());
    const sql::Resetting resetting(row);
    row.bind(cell_key);
    if (!row.step()) database_.refuse(fmt::format("cell {} belongs to no model", cell_key));
    CellData cell;
    cell.cell_id = name_in(database_, row, 0);
    cell.recipe_parameters = parameters_in(name_in(database_, row, 1, kMostOptionsBytes));
    cell.planned_processes = row.small(2);
    cell.has_ended_rounds = row.small(3) != 0;
    cell.of = configuration_in(database_, row, 4);
    cell.rounds = rounds_;
    cell.is_profile = is_profile_;
    if (cell.planned_processes < 1) {
      database_.refuse(fmt::format("cell {} has {} processes", cell.cell_id, cell.planned_processes));
    }
    return cell;
  }

  // Loads processes by index and attempt, so that each list of a cell is in order. SQLite would build a table for the
  // order of a few rows.
  std::vector<LoadedProcess> load_processes(std::int64_t cell_key, CellData& cell) {
    std::vector<LoadedProcess> all;
    each_row(database_,
             "SELECT process_key, process_index, attempt, environment_hash, started_unix_ns, wall_ns, stop_reason, "
             "is_steady, threads_used, threads_used_unknown_reason, log_path, environment_key, run_key, origin, "
             "is_complete, threads, ifnull(made_with_key, 0), reference, tolerance, reference_reason, output_change "
             "FROM process LEFT JOIN output_check USING (process_key) WHERE cell_key = ?",
             cell_key, [&](const sql::Statement& row) {
               LoadedProcess& loaded = all.emplace_back();
               loaded.process_key = row.integer(0);
               loaded.origin = row.text(13);
               loaded.is_complete = row.small(14) != 0;
               RecordedProcess& process = loaded.process;
               process.cell_id = cell.cell_id;
               process.process_index = row.small(1);
               process.attempt = row.small(2);
               process.environment_hash = row.text(3);
               process.started_unix_ns = row.integer(4);
               process.wall_ns = row.integer(5);
               process.stop_reason = row.text(6);
               process.is_steady = row.small(7) != 0;
               process.threads_used = sql::Columns<Known<int>>::read(row, 8);
               process.log_path = row.text(10);
               process.run_key = row.integer(12);
               if (!row.is_null(15)) process.threads = row.small(15);
               if (!row.is_null(17)) {
                 process.check = samples::Check{.reference = row.text(17),
                                                .tolerance = row.text(18),
                                                .reference_reason = row.text(19),
                                                .output_change = row.text(20)};
               }
               if (has_repetitions_) process.made_with = made_with(row.integer(16));
               loaded.environment_key = row.integer(11);
             });
    const auto is_earlier = [](const LoadedProcess& a, const LoadedProcess& b) {
      return std::tuple(a.process.process_index, a.process.attempt, a.process_key) <
             std::tuple(b.process.process_index, b.process.attempt, b.process_key);
    };
    if (!std::is_sorted(all.begin(), all.end(), is_earlier)) std::sort(all.begin(), all.end(), is_earlier);
    for (const LoadedProcess& loaded : all) {
      const int cpus = loaded.environment_key == 0 ? 0 : cpus_of(loaded.environment_key);
      if (cpus > 0) cell.device_cpus = cpus;
    }
    return all;
  }

  // Most processes of a cell were made with the same parts, so these are read once. Key 0: they are unknown.
  const samples::Provenance& made_with(std::int64_t made_with_key) {
    if (made_with_key == made_with_key_) return made_with_;
    made_with_ = sql::record_of<samples::Provenance>(database_, made_with_key).value_or(samples::Provenance{});
    made_with_key_ = made_with_key;
    return made_with_;
  }

  // Returns the number of logical processors that an environment reports; 0 if it reports none.
  int cpus_of(std::int64_t environment_key) {
    const auto found = cpus_.find(environment_key);
    if (found != cpus_.end()) return found->second;
    int& cpus = cpus_[environment_key];
    each_row(database_,
             "SELECT CAST(value AS INTEGER) FROM environment_entry WHERE environment_key = ? AND name = 'cpu_threads'",
             environment_key, [&cpus](const sql::Statement& row) { cpus = row.small(0); });
    return cpus;
  }

  sql::Database& database_;
  ProfileShelf& shelf_;
  Detail detail_;
  bool has_repetitions_;
  std::optional<work::Rounds> rounds_;
  bool has_arrivals_;
  bool is_profile_;
  bool has_agreement_;
  std::string recipe_json_{};
  nlohmann::json parameters_{};  // of recipe_json_
  std::int64_t made_with_key_ = 0;
  samples::Provenance made_with_{};               // of made_with_key_
  std::unordered_map<std::int64_t, int> cpus_{};  // environment key -> logical processors
};

// Throws SqlError if the first or the last row of a table belongs to nothing: rows of the file are lost.
void require_no_lost_rows(const sql::Database& database) {
  for (const char* const table :
       {"phase", "repetition", "output_check", "agreement", "failure", "reading", "fact", "neighbour", "profile"}) {
    for (const char* const end : {"min", "max"}) {
      const std::int64_t key = database.integer(
          fmt::format("SELECT process_key FROM {1} WHERE process_key = (SELECT {0}(process_key) FROM {1}) AND "
                      "process_key NOT IN (SELECT process_key FROM process) LIMIT 1",
                      end, table));
      if (key != 0) database.refuse(fmt::format("a row belongs to no process: {}", key));
    }
  }
}

}  // namespace

Result<std::vector<CellData>> Store::load_cells(Detail detail) {
  return sql::guarded([&]() -> Result<std::vector<CellData>> {
    sql::Database& database = implementation_->database;
    return sql::in_one_state(database, [&] {
      require_no_lost_rows(database);
      Loader loader(database, implementation_->shelf, detail);
      std::vector<CellData> cells;
      cells.reserve(static_cast<std::size_t>(database.integer("SELECT count(*) FROM cell")));
      sql::Statement row = database.statement("SELECT cell_key FROM cell ORDER BY cell_key");
      while (row.step()) cells.push_back(loader.load(row.integer(0)));
      return cells;
    });
  });
}

Result<std::vector<ValueFamily>> Store::families() {
  return sql::guarded([&]() -> Result<std::vector<ValueFamily>> {
    sql::Database& database = implementation_->database;
    return sql::in_one_state(database, [&] {
      require_no_lost_rows(database);
      std::unordered_map<std::string, std::size_t> known;
      std::vector<ValueFamily> families;
      std::size_t position = 0;
      sql::Statement row = database.statement(
          "SELECT cell_key, device, ifnull(ifnull(nullif(exact_hash, ''), model_hash), '') "
          "FROM cell LEFT JOIN model USING (model_key) "
          "ORDER BY cell_key");
      while (row.step()) {
        const auto [place, is_new] = known.emplace(row.text(1) + '\n' + row.text(2), families.size());
        if (is_new) families.push_back({row.text(1), row.text(2), {}});
        families[place->second].cells.push_back({row.integer(0), position++});
      }
      return families;
    });
  });
}

Result<std::vector<CellData>> Store::load_family(const ValueFamily& family, Detail detail) {
  return sql::guarded([&]() -> Result<std::vector<CellData>> {
    sql::Database& database = implementation_->database;
    return sql::in_one_state(database, [&] {
      Loader loader(database, implementation_->shelf, detail);
      std::vector<CellData> cells;
      cells.reserve(family.cells.size());
      for (const ValueFamily::Member& member : family.cells) cells.push_back(loader.load(member.cell_key));
      return cells;
    });
  });
}

Result<std::optional<CellData>> Store::load_cell(const std::string& cell_id, Detail detail) {
  return sql::guarded([&]() -> Result<std::optional<CellData>> {
    sql::Database& database = implementation_->database;
    return sql::in_one_state(database, [&]() -> std::optional<CellData> {
      sql::Statement row = database.statement("SELECT cell_key FROM cell WHERE cell_id = ?");
      row.bind(cell_id);
      if (!row.step()) return std::nullopt;
      return Loader(database, implementation_->shelf, detail).load(row.integer(0));
    });
  });
}

Result<std::vector<CellData>> Store::compilers() {
  return sql::guarded([&]() -> Result<std::vector<CellData>> {
    std::vector<CellData> compilers;
    sql::Statement row =
        implementation_->database.statement("SELECT DISTINCT compiler, compiler_label, compiler_version FROM cell");
    while (row.step()) {
      CellData& named = compilers.emplace_back();
      named.of.compiler = {.name = row.text(0), .version = row.text(2), .label = row.text(1)};
    }
    return compilers;
  });
}

Result<std::map<std::string, double>> Store::highest_frequencies_hz() {
  return sql::guarded([&]() -> Result<std::map<std::string, double>> {
    std::map<std::string, double> highest;
    sql::Statement row = implementation_->database.statement(
        "SELECT cell.device, clock.hz FROM (SELECT process_key, max(value) AS hz FROM reading "
        "WHERE quantity = 'frequency' AND value IS NOT NULL GROUP BY process_key) AS clock "
        "CROSS JOIN process USING (process_key) CROSS JOIN cell USING (cell_key) WHERE is_complete = 1");
    while (row.step()) {
      double& device = highest[row.text(0)];
      device = std::max(device, row.real(1));
    }
    return highest;
  });
}

}  // namespace ngb::store
