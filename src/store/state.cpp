// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "store/implementation.h"
#include "store/rows.h"

namespace ngb::store {

namespace {

CellState::Progress progress(const CellState& cell, bool is_finished) {
  if (cell.completed_processes >= cell.planned_processes || cell.has_ended_rounds) return CellState::Progress::complete;
  if (is_finished) return CellState::Progress::failed;
  if (cell.completed_processes + cell.failed_attempts == 0) return CellState::Progress::planned;
  return CellState::Progress::partial;
}

}  // namespace

Result<std::vector<RunState>> Store::runs() {
  return sql::guarded([&]() -> Result<std::vector<RunState>> {
    std::vector<RunState> runs;
    sql::Statement row = implementation_->database.statement(
        "SELECT run_id, study_name, study_json, started_unix_ns, device, last_sequence, is_finished, "
        "EXISTS (SELECT 1 FROM presence WHERE presence.run_key = run.run_key AND presence.device = run_device.device), "
        "folder FROM run LEFT JOIN run_device USING (run_key) LEFT JOIN source USING (source_key) "
        "ORDER BY run_key, device");
    while (row.step()) {
      if (runs.empty() || runs.back().run_id != row.text(0)) {
        runs.push_back({row.text(0), row.text(1), row.text(2), row.integer(3), true, {}, row.text(8)});
      }
      if (row.is_null(4)) continue;
      const bool is_finished = row.small(6) != 0;
      runs.back().devices.push_back(
          {row.text(4), static_cast<std::uint64_t>(row.integer(5)), is_finished, row.small(7) != 0});
      runs.back().is_complete = runs.back().is_complete && is_finished;
    }
    return runs;
  });
}

Status Store::note_presence(const std::string& run_id, const std::string& device) {
  return implementation_->changing([&]() -> Status {
    implementation_->begin_change();
    implementation_->database
        .kept(
            "INSERT INTO presence SELECT run_key, device FROM run_device JOIN run USING (run_key) "
            "WHERE run_id = ? AND device = ? ON CONFLICT DO NOTHING")
        .run(run_id, device);
    return Done{};
  });
}

Status Store::forget_presence(const std::string& run_id, const std::string& device) {
  return implementation_->changing([&]() -> Status {
    implementation_->begin_change();
    implementation_->database
        .kept("DELETE FROM presence WHERE run_key = (SELECT run_key FROM run WHERE run_id = ?) AND device = ?")
        .run(run_id, device);
    return Done{};
  });
}

Result<std::vector<std::string>> Store::devices() {
  return sql::guarded([&]() -> Result<std::vector<std::string>> {
    std::vector<std::string> devices;
    sql::Statement row = implementation_->database.statement("SELECT DISTINCT device FROM cell ORDER BY device");
    while (row.step()) devices.push_back(row.text(0));
    return devices;
  });
}

Result<std::vector<std::string>> Store::planned_cells(const std::string& run_id) {
  return sql::guarded([&]() -> Result<std::vector<std::string>> {
    std::vector<std::string> cells;
    sql::Statement row = implementation_->database.statement(
        "SELECT cell_id FROM run_cell JOIN cell USING (cell_key) JOIN run USING (run_key) WHERE run_id = ? "
        "ORDER BY cell_key");
    row.bind(run_id);
    while (row.step()) cells.push_back(row.text(0));
    return cells;
  });
}

Result<std::vector<CellState>> Store::cell_states() {
  return sql::guarded([&]() -> Result<std::vector<CellState>> {
    std::vector<CellState> cells;
    // A cell may belong to several runs. The last run that planned it decides whether more processes will follow.
    sql::Statement row = implementation_->database.statement(
        "WITH " + std::string(kAlike) +
        ", last AS MATERIALIZED (SELECT cell_key, max(run_key) AS run_key FROM run_cell GROUP BY cell_key), "
        "counted AS MATERIALIZED (SELECT cell_key, processes FROM alike WHERE rank = 1) "
        "SELECT cell_id, planned_processes, coalesce(counted.processes, 0), "
        "(SELECT count(*) FROM process WHERE process.cell_key = cell.cell_key AND is_complete = 0), is_finished, "
        "EXISTS (SELECT 1 FROM rounds_ended WHERE rounds_ended.cell_key = cell.cell_key), "
        "(SELECT count(DISTINCT lost.process_index) FROM process AS lost JOIN failure USING (process_key) "
        "WHERE lost.cell_key = cell.cell_key AND kind <> 'disturbed' AND NOT EXISTS (SELECT 1 FROM process AS done "
        "WHERE done.cell_key = lost.cell_key AND done.process_index = lost.process_index AND done.is_complete)) "
        "FROM cell LEFT JOIN last USING (cell_key) LEFT JOIN counted USING (cell_key) "
        "LEFT JOIN run_device ON run_device.run_key = last.run_key AND run_device.device = cell.device "
        "ORDER BY cell_key");
    while (row.step()) {
      CellState cell{row.text(0), CellState::Progress::planned, row.small(1), row.small(2), row.small(3)};
      cell.lost_processes = row.small(6);
      cell.has_ended_rounds = row.small(5) != 0 && cell.completed_processes > 0;
      cell.progress = progress(cell, row.small(4) != 0);
      cells.push_back(std::move(cell));
    }
    return cells;
  });
}

Result<std::map<std::string, std::set<std::string>>> Store::contents(const std::string& device) {
  return sql::guarded([&]() -> Result<std::map<std::string, std::set<std::string>>> {
    std::map<std::string, std::set<std::string>> found;
    sql::Statement models = implementation_->database.statement(
        "SELECT DISTINCT label, batch, model_hash FROM model JOIN cell USING (model_key)");
    while (models.step()) {
      found[fmt::format("{}, batch {}", models.text(0), models.integer(1))].insert(models.text(2));
    }
    sql::Statement toolchains = implementation_->database.statement(
        "SELECT compiler, compiler_version, manifest_sha256 FROM toolchain JOIN toolchain_manifest USING "
        "(toolchain_key) WHERE device = ? ORDER BY position");
    toolchains.bind(device);
    while (toolchains.step()) {
      found[fmt::format("toolchain {} {}", toolchains.text(0), toolchains.text(1))] = {toolchains.text(2)};
    }
    return found;
  });
}

using Entry = samples::EnvironmentEntry;
Result<samples::Environment> Store::environment(const std::string& environment_hash) {
  return sql::guarded([&]() -> Result<samples::Environment> {
    samples::Environment environment;
    sql::Statement row = implementation_->database.statement(
        "SELECT " + sql::names_of_columns<Entry>() +
        " FROM environment_entry WHERE environment_key = "
        "(SELECT max(environment_key) FROM environment WHERE environment_hash = ?) ORDER BY name");
    row.bind(environment_hash);
    while (row.step()) environment.entries.push_back(sql::read_record<Entry>(row));
    return environment;
  });
}

Result<std::vector<MeasuredEnvironment>> Store::measured_environments() {
  return sql::guarded([&]() -> Result<std::vector<MeasuredEnvironment>> {
    std::vector<MeasuredEnvironment> environments;
    sql::Statement row = implementation_->database.statement(
        "SELECT environment_key, device, " + sql::names_of_columns<Entry>() +
        " FROM environment "
        "JOIN environment_entry USING (environment_key) WHERE environment_key IN "
        "(SELECT environment_key FROM process WHERE is_complete = 1) ORDER BY environment_key, name");
    std::int64_t last = 0;
    while (row.step()) {
      if (environments.empty() || last != row.integer(0)) environments.push_back({row.text(1), {}});
      last = row.integer(0);
      environments.back().environment.entries.push_back(sql::read_record<Entry>(row, 2));
    }
    return environments;
  });
}

}  // namespace ngb::store
