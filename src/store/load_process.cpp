// SPDX-License-Identifier: Apache-2.0
#include "store/load_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

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

void load_latencies(sql::Database& database, std::int64_t process_key, ProcessResult& process) {
  each_row(database,
           "SELECT repetition_index, latency_ns FROM latency WHERE process_key = ? ORDER BY repetition_index, position",
           process_key, [&](const sql::Statement& row) {
             const std::int64_t index = row.integer(0);
             if (index < 0 || static_cast<std::size_t>(index) >= process.repetitions.size()) {
               refuse_damaged(database, fmt::format("a latency belongs to repetition {}, which there is not", index));
             }
             process.latencies_ns.resize(static_cast<std::size_t>(index) + 1);
             process.latencies_ns.back().push_back(row.integer(1));
           });
}

void load_failure(sql::Database& database, std::int64_t process_key, ProcessResult& process) {
  each_row(database, "SELECT kind, phase, message, advice, signal, exit_code FROM failure WHERE process_key = ?",
           process_key, [&](const sql::Statement& row) {
             samples::Failure failure{word(samples::parse_failure_kind(row.text(0)), database),
                                      word(samples::parse_phase(row.text(1)), database),
                                      row.text(2),
                                      row.text(3),
                                      std::nullopt,
                                      std::nullopt};
             if (!row.is_null(4)) failure.signal = row.small(4);
             if (!row.is_null(5)) failure.exit_code = row.small(5);
             process.failure = std::move(failure);
           });
}

void load_phases(sql::Database& database, std::int64_t process_key, ProcessResult& process) {
  process.phases.reserve(static_cast<std::size_t>(samples::Phase::alone) + 1);
  each_row(database,
           "SELECT phase, wall_ns, cpu_ns, cpu_ns_unknown_reason, peak_rss_bytes, peak_rss_bytes_unknown_reason, "
           "started_ns FROM phase WHERE process_key = ? ORDER BY position",
           process_key, [&](const sql::Statement& row) {
             process.phases.push_back({word(samples::parse_phase(row.text(0)), database), row.integer(1),
                                       known(row, 2, get_integer), known(row, 4, get_unsigned), start_time(row, 6)});
           });
}

void load_repetitions(sql::Database& database, std::int64_t process_key, ProcessResult& process) {
  each_row(
      database,
      "SELECT wall_ns, inferences, is_warm_up, started_ns, instance FROM repetition WHERE process_key = ? "
      "ORDER BY repetition_index",
      process_key, [&process](const sql::Statement& row) {
        // A number out of range becomes 0 or the maximum; require_sense refuses 0.
        const std::int64_t most = std::numeric_limits<std::uint32_t>::max();
        const auto inferences = static_cast<std::uint32_t>(std::clamp<std::int64_t>(row.integer(1), 0, most));
        const auto instance = static_cast<std::uint32_t>(std::clamp<std::int64_t>(row.integer(4), 0, most));
        process.repetitions.push_back({row.integer(0), inferences, row.small(2) != 0, start_time(row, 3), instance});
      });
}

void load_check(sql::Database& database, std::int64_t process_key, ProcessResult& process) {
  each_row(database,
           "SELECT reference, compared_elements, max_absolute_error, max_absolute_error_unknown_reason, "
           "max_relative_error, max_relative_error_unknown_reason, finite_elements, small_elements, tolerance, "
           "reference_reason, "
           "output_change FROM output_check "
           "WHERE process_key = ?",
           process_key, [&process](const sql::Statement& row) {
             process.check =
                 samples::Check{row.text(0), get_unsigned(row, 1), known(row, 2, get_real), known(row, 4, get_real)};
             if (!row.is_null(6)) process.check->finite_elements = get_unsigned(row, 6);
             if (!row.is_null(7)) process.check->small_elements = get_unsigned(row, 7);
             process.check->tolerance = row.text(8);
             process.check->reference_reason = row.text(9);
             process.check->change = row.text(10);
           });
}

void load_readings(sql::Database& database, std::int64_t process_key, ProcessResult& process) {
  each_row(database,
           "SELECT quantity, unit, moment, value, unknown_reason, at_ns FROM reading WHERE process_key = ? "
           "ORDER BY position",
           process_key, [&process](const sql::Statement& row) {
             process.readings.push_back(
                 {row.text(0), row.text(1), row.text(2), known(row, 3, get_real), start_time(row, 5)});
           });
}

void load_neighbours(sql::Database& database, std::int64_t process_key, ProcessResult& process) {
  each_row(database, "SELECT name, pid, cpu_ns FROM neighbour WHERE process_key = ? ORDER BY position", process_key,
           [&process](const sql::Statement& row) {
             process.neighbours.push_back({row.text(0), row.integer(1), row.integer(2)});
           });
}

void load_facts(sql::Database& database, Detail detail, LoadedProcess& loaded) {
  const bool keeps_facts = detail == Detail::speeds || detail == Detail::full;
  const auto add = [&](const sql::Statement& row) {
    if (row.text(0) == "device") loaded.device = row.text(1);
    if (keeps_facts || row.text(0) == "wait") loaded.process.facts.emplace(row.text(0), row.text(1));
  };
  if (detail == Detail::full)
    each_row(database, "SELECT name, value FROM fact WHERE process_key = ?", loaded.process_key, add);
  else
    each_row(database, "SELECT name, value FROM fact WHERE process_key = ? AND name IN ('device', 'wait')",
             loaded.process_key, add);
}

}  // namespace

void refuse_damaged(const sql::Database& database, const std::string& what) {
  throw sql::SqlError(sql::to_error(SQLITE_CORRUPT, what, database.file()), SQLITE_CORRUPT);
}

Known<int> known_small(const sql::Statement& row, int column) { return known(row, column, get_small); }

void load_details(sql::Database& database, Detail detail, bool has_latencies, LoadedProcess& loaded) {
  const std::int64_t key = loaded.process_key;
  ProcessResult& process = loaded.process;
  if (!loaded.is_complete) load_failure(database, key, process);
  load_facts(database, detail, loaded);
  if (detail == Detail::phases || detail == Detail::full) load_phases(database, key, process);
  if (detail == Detail::full) {
    load_check(database, key, process);
    load_readings(database, key, process);
    if (!loaded.is_complete) load_neighbours(database, key, process);
  }
  if (detail != Detail::speeds && detail != Detail::full) return;
  load_repetitions(database, key, process);
  if (has_latencies) load_latencies(database, key, process);
}

}  // namespace ngb::store
