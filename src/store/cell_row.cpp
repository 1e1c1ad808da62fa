// SPDX-License-Identifier: Apache-2.0
#include "store/cell_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "work/device_kind.h"
#include "work/json_bounds.h"

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
    if (keeps_facts || row.text(0) != "device") loaded.process.facts.emplace(row.text(0), row.text(1));
  };
  if (detail == Detail::full)
    each_row(database, "SELECT name, value FROM fact WHERE process_key = ?", loaded.process_key, add);
  else
    each_row(
        database,
        "SELECT name, value FROM fact WHERE process_key = ? AND name IN ('device', 'emulated', 'wait', 'feeding_back', "
        "'sessions_of_shapes')",
        loaded.process_key, add);
}

}  // namespace

void load_details(sql::Database& database, Detail detail, bool has_latencies, LoadedProcess& loaded) {
  const std::int64_t key = loaded.process_key;
  ProcessResult& process = loaded.process;
  if (!loaded.is_complete) process.failure = sql::record_of<samples::Failure>(database, key);
  load_facts(database, detail, loaded);
  if (detail == Detail::full) {
    process.phases.reserve(static_cast<std::size_t>(samples::Phase::alone) + 1);
    sql::load(database, key, process.phases);
    process.check = sql::record_of<samples::Check>(database, key);
    sql::load(database, key, process.readings);
    if (!loaded.is_complete) sql::load(database, key, process.neighbours);
  }
  if (detail != Detail::speeds && detail != Detail::profiles && detail != Detail::full) return;
  sql::load(database, key, process.repetitions);
  const bool has_passes = process.facts.contains("feeding_back") || process.facts.contains("sessions_of_shapes");
  if (has_latencies || has_passes) load_latencies(database, key, process);
}

namespace {

using Text = Known<std::string>;
using work::Property;
using work::Role;

bool is_of_model(Role role) {
  return role == Role::model || role == Role::model_name || role == Role::model_fact || role == Role::batch;
}

// What results know of a model that is no property of a cell.
using Count = std::optional<std::uint64_t> work::ModelSummary::*;
constexpr std::array<std::pair<const char*, Count>, 4> kCounts{{{"parameters", &work::ModelSummary::parameters},
                                                                {"macs", &work::ModelSummary::macs},
                                                                {"raw_bytes", &work::ModelSummary::raw_bytes},
                                                                {"encoded_bytes", &work::ModelSummary::encoded_bytes}}};

}  // namespace

Known<std::string> compute_device_of(const std::set<std::string>& reported, const work::Options& options) {
  std::set<std::string> kinds;
  for (const std::string& word : reported) {
    kinds.insert(work::kind_of_device(word));
    if (kinds.contains(""))
      return Text::unknown(fmt::format("it reports the device \"{}\"", text::to_utf8(word.substr(0, 100))));
  }
  if (kinds.size() > 1) {
    return Text::unknown("its processes ran on different devices: " +
                         text::join(std::vector<std::string>(kinds.begin(), kinds.end()), ", "));
  }
  std::string kind = kinds.empty() ? work::device_asked_for(options) : *kinds.begin();
  return kind.empty() ? Text::unknown("no process has reported where it computes") : Text::of(std::move(kind));
}

std::string column_of(const Property& property) {
  constexpr std::array<std::pair<std::string_view, const char*>, 4> kOtherNames{
      {{"model", "label"}, {"model_family", "family"}, {"options", "options_json"}, {"settings", "settings_json"}}};
  if (property.read == nullptr) return {};
  const auto* const other = std::find_if(kOtherNames.begin(), kOtherNames.end(),
                                         [&](const auto& each) { return each.first == property.name; });
  return fmt::format("{}.{}", is_of_model(property.role) ? "model" : "cell",
                     other == kOtherNames.end() ? property.name : other->second);
}

const std::string& configuration_columns() {
  static const std::string kColumns = [] {
    std::vector<std::string> columns;
    for (const Property& each : work::properties()) {
      if (each.read != nullptr) columns.push_back(column_of(each));
    }
    for (const auto& [column, member] : kCounts) columns.emplace_back(column);
    return text::join(columns, ", ");
  }();
  return kColumns;
}

int configuration_column_count() {
  const auto all = work::properties();
  return static_cast<int>(std::count_if(all.begin(), all.end(), [](const auto& each) { return each.read != nullptr; }) +
                          std::ssize(kCounts));
}

work::Configuration configuration_in(const sql::Database& database, const sql::Statement& row, int first) {
  int column = first;
  work::Configuration of;
  for (const Property& each : work::properties()) {
    if (each.read == nullptr) continue;
    const bool is_json = each.kind == work::Kind::options;
    const std::string text = name_in(database, row, column++, is_json ? kMostOptionsBytes : kMostNameBytes);
    if (is_json) require_shallow(database, text);
    if (each.read(of, text)) continue;
    database.refuse(fmt::format("the {} of a cell is \"{}\", which no study can say", each.name, text.substr(0, 100)));
  }
  if (!of.threads && of.compiler.threads_asked.empty()) database.refuse("a cell has no threads");
  for (const auto& [name, member] : kCounts) {
    const std::int64_t count = row.integer(column++);
    if (count > 0) of.model.*member = static_cast<std::uint64_t>(count);
  }
  return of;
}

std::string name_in(const sql::Database& database, const sql::Statement& row, int column, std::size_t most_bytes) {
  std::string text = row.text(column);
  if (text.size() <= most_bytes) return text;
  database.refuse(fmt::format("a cell has a text of {} bytes, more than a study can say", text.size()));
}

void require_shallow(const sql::Database& database, const std::string& text) {
  constexpr work::JsonBounds kBounds{1'000'000, 100'000, 1'000'000, 64};
  if (Status shallow = work::check_bounds(text, kBounds); !shallow) database.refuse(shallow.error().what);
}

}  // namespace ngb::store
