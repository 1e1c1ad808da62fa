// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "samples/sense.h"
#include "store/compute_device.h"
#include "store/implementation.h"
#include "store/protocol.h"
#include "work/json_bounds.h"

namespace ngb::store {
namespace {

using samples::ProcessResult;

template <class T>
Known<T> known(const sql::Statement& row, int column, T (*get)(const sql::Statement&, int)) {
  if (row.is_null(column)) return Known<T>::unknown(row.text(column + 1));
  return Known<T>::of(get(row, column));
}
std::int64_t get_integer(const sql::Statement& row, int column) { return row.integer(column); }
std::uint64_t get_unsigned(const sql::Statement& row, int column) {
  return static_cast<std::uint64_t>(row.integer(column));
}
double get_real(const sql::Statement& row, int column) { return row.real(column); }
int get_small(const sql::Statement& row, int column) { return row.small(column); }

samples::StartTime start_time(const sql::Statement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return row.integer(column);
}

// Returns a parsed word of a fixed list. Throws SqlError if it is not in the list, as in a damaged or hand-edited file.
template <class T>
T word(Result<T> parsed, const sql::Database& database) {
  if (!parsed) throw sql::SqlError(sql::to_error(SQLITE_CORRUPT, parsed.error().what, database.file()), SQLITE_CORRUPT);
  return *parsed;
}

[[noreturn]] void refuse_damaged(const sql::Database& database, const std::string& what) {
  throw sql::SqlError(sql::to_error(SQLITE_CORRUPT, what, database.file()), SQLITE_CORRUPT);
}

// Throws SqlError if the JSON is nested deeper than in any study, because parsing it could exhaust the stack.
void require_shallow(const sql::Database& database, const std::string& text) {
  constexpr work::JsonBounds kBounds{1'000'000, 100'000, 1'000'000, 64};
  if (Status shallow = work::check_bounds(text, kBounds); !shallow) refuse_damaged(database, shallow.error().what);
}

std::string parameters_of(const std::string& recipe_json) {
  if (recipe_json.empty()) return {};
  const nlohmann::json recipe = nlohmann::json::parse(recipe_json, nullptr, false);
  return recipe.is_object() && recipe.contains("parameters") ? recipe["parameters"].dump() : std::string{};
}

// Loads whole tables in the order of processes and adds each row to its process.
class Loader {
 public:
  explicit Loader(sql::Database& database) : database_(database) {}

  std::vector<CellData> load(Detail detail) {
    load_cells();
    load_set_aside();
    load_processes();
    load_failures();
    if (detail != Detail::outline) {
      load_repetitions();
      load_latencies();
      load_facts(detail == Detail::speeds ? "WHERE name = 'device'" : "");
    }
    if (detail == Detail::full) {
      load_phases();
      load_checks();
      load_readings();
      load_neighbours();
    }
    std::size_t position = 0;
    for (auto& [cell, process] : processes_) {
      CellData& target = cells_[cell];
      if (detail != Detail::outline) require_sense(target, process);
      const bool is_set_aside = !process.failure && set_aside_.contains({cell, origin_[position]});
      const bool counts = !process.failure && !is_set_aside;
      if (const auto& device = device_fact_[position]) (counts ? counted_on_ : tried_on_)[cell].insert(*device);
      ++position;
      (process.failure ? target.failed
       : is_set_aside  ? target.set_aside
                       : target.processes)
          .push_back(std::move(process));
    }
    find_compute_devices();
    for (CellData& cell : cells_) find_threads(cell);
    return std::move(cells_);
  }

 private:
  // A word means what the processes that count report; the cell's own number is that of its latest process.
  static void find_threads(CellData& cell) {
    if (cell.threads_asked.empty() || cell.processes.empty()) return;
    if (cell.processes.front().threads) cell.threads = cell.processes.front().threads;
  }

  // Asks the processes that count, or else the others.
  void find_compute_devices() {
    for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
      const std::set<std::string>& counted = counted_on_[cell];
      cells_[cell].compute_device =
          compute_device_of(counted.empty() ? tried_on_[cell] : counted, cells_[cell].options);
    }
  }

  // Throws SqlError if no device could have sent the process: somebody else has written it.
  void require_sense(const CellData& cell, const ProcessResult& process) const {
    constexpr int kMostAttempts = 100;  // the largest number that a study may allow
    const Status sense = samples::check_sense(process, {cell.planned_processes, kMostAttempts});
    if (sense) return;
    refuse_damaged(database_,
                   fmt::format("process {} of cell {}: {}", process.process_index, cell.cell_id, sense.error().what));
  }

  [[nodiscard]] std::optional<work::Rounds> load_rounds() {
    sql::Statement row = database_.statement("SELECT value FROM protocol WHERE key = 'rounds'");
    if (!row.step()) return std::nullopt;
    require_shallow(database_, row.text(0));
    return rounds_of(row.text(0));
  }

  void load_cells() {
    const std::optional<work::Rounds> rounds = load_rounds();
    sql::Statement row = database_.statement(
        "SELECT cell_key, cell_id, device, label, family, recipe_json, model_hash, batch, compiler, compiler_label, "
        "compiler_version, options_json, threads, precision, planned_processes, "
        "EXISTS (SELECT 1 FROM rounds_ended WHERE rounds_ended.cell_key = cell.cell_key), threads_asked, "
        "ifnull(model_group, ''), ifnull(model_style, ''), model_size, load, parameters, settings_json, in_flight "
        "FROM cell JOIN model USING (model_key) ORDER BY cell_key");
    while (row.step()) {
      position_.emplace(row.integer(0), cells_.size());
      CellData cell;
      cell.cell_id = row.text(1);
      cell.device = row.text(2);
      cell.model = row.text(3);
      cell.model_family = row.text(4);
      require_shallow(database_, row.text(5));
      cell.model_parameters = parameters_of(row.text(5));
      cell.model_hash = row.text(6);
      cell.batch = row.small(7);
      cell.compiler = row.text(8);
      cell.compiler_label = row.text(9);
      cell.compiler_version = row.text(10);
      cell.options = row.text(11);
      require_shallow(database_, cell.options);
      cell.threads = row.is_null(12) ? std::nullopt : std::optional(row.small(12));
      if (!row.is_null(16)) cell.threads_asked = row.text(16);
      cell.precision = row.text(13);
      cell.planned_processes = row.small(14);
      cell.model_group = row.text(17);
      cell.model_style = row.text(18);
      if (!row.is_null(19)) cell.model_size = row.small(19);
      cell.rounds = rounds;
      cell.has_ended_rounds = row.small(15) != 0;
      cell.load = row.text(20);
      if (row.integer(21) > 0) cell.model_parameter_count = static_cast<std::uint64_t>(row.integer(21));
      cell.settings = row.text(22);
      require_shallow(database_, cell.settings);
      cell.in_flight = row.text(23);
      const bool has_threads = cell.threads ? *cell.threads >= 1 : !cell.threads_asked.empty();
      if (cell.batch < 1 || !has_threads || cell.planned_processes < 1) {
        refuse_damaged(database_, fmt::format("cell {} has batch {}, {} threads, {} processes", cell.cell_id,
                                              cell.batch, cell.threads_there(), cell.planned_processes));
      }
      cells_.push_back(std::move(cell));
    }
  }

  // Finds the origins that do not count. Most cells have none.
  void load_set_aside() {
    sql::Statement row =
        database_.statement(fmt::format("WITH {} SELECT cell_key, origin FROM alike WHERE rank > 1", kAlike));
    while (row.step()) {
      const auto cell = position_.find(row.integer(0));
      if (cell != position_.end()) set_aside_.emplace(cell->second, row.text(1));
    }
  }

  // Loads processes by cell, index and attempt, so that each list of a cell is in order.
  void load_processes() {
    sql::Statement row = database_.statement(
        "SELECT process_key, cell_key, cell_id, process_index, attempt, process.environment_hash, started_unix_ns, "
        "wall_ns, stop_reason, is_steady, threads_used, threads_used_unknown_reason, log_path, "
        "CAST((SELECT value FROM environment_entry AS entry WHERE entry.environment_key = process.environment_key AND "
        "name = 'cpu_threads') AS INTEGER), run_key, origin, manifest_sha256, worker_sha256, package_sha256, "
        "plugin_sha256, exporter_sha256, files_sha256, model_sha256, reference_key, reference_sha256, "
        "(SELECT value FROM fact WHERE fact.process_key = process.process_key AND fact.name = 'device'), "
        "process.threads "
        "FROM process JOIN cell USING (cell_key) LEFT JOIN made_with USING (made_with_key) "
        "ORDER BY cell_key, process_index, attempt, process_key");
    while (row.step()) {
      const auto place = position_.find(row.integer(1));
      if (place == position_.end()) {
        refuse_damaged(database_, fmt::format("process {} belongs to no model", row.integer(0)));
      }
      const std::size_t cell = place->second;
      by_key_.emplace(row.integer(0), processes_.size());
      RecordedProcess process;
      process.cell_id = row.text(2);
      process.process_index = row.small(3);
      process.attempt = row.small(4);
      process.environment_hash = row.text(5);
      process.started_unix_ns = row.integer(6);
      process.wall_ns = row.integer(7);
      process.stop_reason = row.text(8);
      process.is_steady = row.small(9) != 0;
      process.threads_used = known(row, 10, get_small);
      process.log_path = row.text(12);
      process.run_key = row.integer(14);
      if (row.small(13) > 0) cells_[cell].device_cpus = row.small(13);
      process.made_with = {row.text(16), row.text(17), row.text(18), row.text(19), row.text(20),
                           row.text(21), row.text(22), row.text(23), row.text(24)};
      origin_.push_back(row.text(15));
      if (!row.is_null(26)) process.threads = row.small(26);
      device_fact_.push_back(row.is_null(25) ? std::nullopt : std::optional(row.text(25)));
      processes_.emplace_back(cell, std::move(process));
    }
  }

  // Cells with one inference at a time have none.
  void load_latencies() {
    each(
        "SELECT process_key, repetition_index, latency_ns FROM latency ORDER BY process_key, repetition_index, "
        "position",
        [&](const sql::Statement& row, ProcessResult& process) {
          const std::int64_t index = row.integer(1);
          if (index < 0 || static_cast<std::size_t>(index) >= process.repetitions.size()) {
            refuse_damaged(database_, fmt::format("a latency belongs to repetition {}, which there is not", index));
          }
          process.latencies_ns.resize(static_cast<std::size_t>(index) + 1);
          process.latencies_ns.back().push_back(row.integer(2));
        });
  }

  void load_failures() {
    each("SELECT process_key, kind, phase, message, advice, signal, exit_code FROM failure",
         [&](const sql::Statement& row, ProcessResult& process) {
           samples::Failure failure{word(samples::parse_failure_kind(row.text(1)), database_),
                                    word(samples::parse_phase(row.text(2)), database_),
                                    row.text(3),
                                    row.text(4),
                                    std::nullopt,
                                    std::nullopt};
           if (!row.is_null(5)) failure.signal = row.small(5);
           if (!row.is_null(6)) failure.exit_code = row.small(6);
           process.failure = std::move(failure);
         });
  }

  void load_phases() {
    each(
        "SELECT process_key, phase, wall_ns, cpu_ns, cpu_ns_unknown_reason, peak_rss_bytes, "
        "peak_rss_bytes_unknown_reason, started_ns FROM phase ORDER BY process_key, position",
        [&](const sql::Statement& row, ProcessResult& process) {
          process.phases.push_back({word(samples::parse_phase(row.text(1)), database_), row.integer(2),
                                    known(row, 3, get_integer), known(row, 5, get_unsigned), start_time(row, 7)});
        });
  }

  void load_repetitions() {
    each(
        "SELECT process_key, wall_ns, inferences, is_warm_up, started_ns FROM repetition "
        "ORDER BY process_key, repetition_index",
        [](const sql::Statement& row, ProcessResult& process) {
          // A number out of range becomes 0 or the maximum; require_sense refuses 0.
          const std::int64_t most = std::numeric_limits<std::uint32_t>::max();
          const auto inferences = static_cast<std::uint32_t>(std::clamp<std::int64_t>(row.integer(2), 0, most));
          process.repetitions.push_back({row.integer(1), inferences, row.small(3) != 0, start_time(row, 4)});
        });
  }

  void load_checks() {
    each(
        "SELECT process_key, reference, compared_elements, max_absolute_error, max_absolute_error_unknown_reason, "
        "max_relative_error, max_relative_error_unknown_reason, finite_elements FROM output_check",
        [](const sql::Statement& row, ProcessResult& process) {
          process.check =
              samples::Check{row.text(1), get_unsigned(row, 2), known(row, 3, get_real), known(row, 5, get_real), {}};
          if (!row.is_null(7)) process.check->finite_elements = get_unsigned(row, 7);
        });
  }

  void load_readings() {
    each(
        "SELECT process_key, quantity, unit, moment, value, unknown_reason, at_ns FROM reading "
        "ORDER BY process_key, position",
        [](const sql::Statement& row, ProcessResult& process) {
          process.readings.push_back(
              {row.text(1), row.text(2), row.text(3), known(row, 4, get_real), start_time(row, 6)});
        });
  }

  void load_neighbours() {
    each("SELECT process_key, name, pid, cpu_ns FROM neighbour ORDER BY process_key, position",
         [](const sql::Statement& row, ProcessResult& process) {
           process.neighbours.push_back({row.text(1), row.integer(2), row.integer(3)});
         });
  }

  void load_facts(const std::string& condition) {
    each(fmt::format("SELECT process_key, name, value FROM fact {}", condition),
         [](const sql::Statement& row, ProcessResult& process) { process.facts.emplace(row.text(1), row.text(2)); });
  }

  // Calls `use` with each row and its process. Rows of one process follow each other, so it is looked up once.
  template <class Use>
  void each(const std::string& select, const Use& use) {
    sql::Statement row = database_.statement(select);
    std::optional<std::int64_t> key;
    ProcessResult* process = nullptr;
    while (row.step()) {
      if (key != row.integer(0)) {
        key = row.integer(0);
        const auto place = by_key_.find(*key);
        if (place == by_key_.end()) refuse_damaged(database_, fmt::format("a row belongs to no process: {}", *key));
        process = &processes_[place->second].second;
      }
      use(row, *process);
    }
  }

  sql::Database& database_;
  std::vector<CellData> cells_{};
  std::unordered_map<std::int64_t, std::size_t> position_{};  // cell key -> cells_
  std::vector<std::pair<std::size_t, RecordedProcess>> processes_{};
  std::vector<std::string> origin_{};                          // of each of processes_
  std::vector<std::optional<std::string>> device_fact_{};      // of each of processes_
  std::map<std::size_t, std::set<std::string>> counted_on_{};  // cells_ -> facts `device` of processes that count
  std::map<std::size_t, std::set<std::string>> tried_on_{};    // … of the others
  std::unordered_map<std::int64_t, std::size_t> by_key_{};     // process key -> processes_
  std::set<std::pair<std::size_t, std::string>> set_aside_{};  // cells_ and origins that do not count
};

}  // namespace

Result<std::vector<CellData>> Store::load_cells(Detail detail) {
  return sql::guarded(
      [&]() -> Result<std::vector<CellData>> { return Loader(implementation_->database).load(detail); });
}

}  // namespace ngb::store
