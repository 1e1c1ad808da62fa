// SPDX-License-Identifier: Apache-2.0
#include "store/load_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "store/profiles.h"

namespace ngb::store {
namespace {

using samples::ProcessResult;

void load_latencies(sql::Database& database, std::int64_t process_key, ProcessResult& process) {
  each_row(database,
           "SELECT repetition_index, latency_ns FROM latency WHERE process_key = ? ORDER BY repetition_index, position",
           process_key, [&](const sql::Statement& row) {
             const std::int64_t index = row.integer(0);
             if (index < 0 || static_cast<std::size_t>(index) >= process.repetitions.size()) {
               database.refuse(fmt::format("a latency belongs to repetition {}, which there is not", index));
             }
             process.latencies_ns.resize(static_cast<std::size_t>(index) + 1);
             process.latencies_ns.back().push_back(row.integer(1));
           });
}

void load_facts(sql::Database& database, Detail detail, LoadedProcess& loaded) {
  const bool keeps_facts = detail == Detail::speeds || detail == Detail::profiles || detail == Detail::full;
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

void load_details(sql::Database& database, Detail detail, bool has_latencies, LoadedProcess& loaded) {
  const std::int64_t key = loaded.process_key;
  ProcessResult& process = loaded.process;
  if (!loaded.is_complete) process.failure = sql::record_of<samples::Failure>(database, key);
  load_facts(database, detail, loaded);
  if (detail == Detail::phases || detail == Detail::full) {
    process.phases.reserve(static_cast<std::size_t>(samples::Phase::alone) + 1);
    sql::load(database, key, process.phases);
  }
  if (detail == Detail::full) {
    process.check = sql::record_of<samples::Check>(database, key);
    sql::load(database, key, process.readings);
    if (!loaded.is_complete) sql::load(database, key, process.neighbours);
  }
  if (detail == Detail::profiles) process.profile = profile_of(database, key);
  if (detail != Detail::speeds && detail != Detail::profiles && detail != Detail::full) return;
  sql::load(database, key, process.repetitions);
  if (has_latencies) load_latencies(database, key, process);
}

}  // namespace ngb::store
