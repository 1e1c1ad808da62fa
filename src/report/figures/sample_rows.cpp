// SPDX-License-Identifier: Apache-2.0
// The rows of the figure of single repetitions: what was measured, in the order of time, cell by cell.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text.h"
#include "report/figures/rows.h"
#include "samples/steady_rates.h"

namespace ngb::report::figures {
namespace {

using store::CellData;
using store::RecordedProcess;

constexpr std::size_t kMostStrips = 12;
constexpr std::size_t kMostPoints = 20'000;

// A process with timed repetitions, and whether it counts in the cell's numbers.
struct Shown {
  const RecordedProcess* process = nullptr;
  std::string state{};   // "counted", "not steady", "set aside", "disturbed", "failed"
  std::string reason{};  // why it does not count
};

std::string state_of_failed(const RecordedProcess& process) {
  return process.failure->kind == samples::FailureKind::disturbed ? "disturbed" : "failed";
}

// Returns the cell's processes with timed repetitions, in the order in which they were started.
std::vector<Shown> processes_of(const CellData& cell) {
  std::vector<Shown> shown;
  for (const RecordedProcess& process : cell.processes)
    shown.push_back({&process, process.is_steady ? "counted" : "not steady",
                     process.is_steady ? "" : "no steady part was found within the bound"});
  for (const RecordedProcess& process : cell.set_aside)
    shown.push_back({&process, "set aside", "of another build or environment than the processes that count"});
  for (const RecordedProcess& process : cell.failed)
    shown.push_back({&process, state_of_failed(process), text::visible(process.failure->message)});
  std::erase_if(shown, [](const Shown& each) { return samples::steady_rates(each.process->repetitions).empty(); });
  std::stable_sort(shown.begin(), shown.end(), [](const Shown& a, const Shown& b) {
    const auto key = [](const RecordedProcess& process) {
      return std::tuple(process.started_unix_ns, process.process_index, process.attempt);
    };
    return key(*a.process) < key(*b.process);
  });
  return shown;
}

std::string flags_of(const Selection& selection, const CellData& cell) {
  std::vector<std::string> flags;
  for (const metrics::RaisedFlag& raised : selection.results().numbers.flags(cell)) {
    flags.emplace_back(raised.flag->name);
  }
  return text::join(flags, ", ");
}

// Returns how much of interest a strip shows: first cells with processes that do not count, then cells with flags.
int interest_of(const Selection& selection, const CellData& cell) {
  if (!cell.failed.empty() || !cell.set_aside.empty()) return 0;
  return flags_of(selection, cell).empty() ? 2 : 1;
}

std::string panel_of(const Selection& selection, const CellData& cell, const std::string& flags) {
  const std::string name = fmt::format("{}, batch {}, {}", text::visible(cell.of.model.label), cell.of.model.key.batch,
                                       selection.compiler(cell));
  return selection.with_device(name, cell) + (flags.empty() ? "" : fmt::format(" [{}]", flags));
}

// Appends the cell's repetitions; of more than `most`, every n-th.
void add_strip(const Selection& selection, const CellData& cell, const CellData& measured, std::size_t most,
               std::vector<Row>& rows) {
  const std::string flags = flags_of(selection, cell);
  const std::vector<Shown> shown = processes_of(measured);
  std::size_t repetitions = 0;
  for (const Shown& each : shown) repetitions += samples::steady_rates(each.process->repetitions).size();
  const std::size_t every = std::max<std::size_t>(1, (repetitions + most - 1) / most);
  Row form = row_of(selection, cell, panel_of(selection, cell, flags));
  form["flags"] = flags;
  std::size_t position = 0;
  for (const Shown& each : shown) {
    form["process"] = each.process->process_index;
    form["attempt"] = each.process->attempt;
    form["state"] = each.state;
    form["reason"] = each.reason;
    for (const double rate : samples::steady_rates(each.process->repetitions, cell.of.model.key.batch)) {
      if (++position % every != 0) continue;
      Row row = form;
      row["repetition"] = position;
      row["every"] = every;
      row["throughput_per_s"] = rate;
      rows.push_back(std::move(row));
    }
  }
}

// Returns all cells, those of most interest first.
std::vector<const CellData*> cells_by_interest(const Selection& selection) {
  std::vector<const CellData*> cells = selection.cells();
  std::vector<std::pair<int, const CellData*>> ranked;
  for (const CellData* cell : cells) ranked.emplace_back(interest_of(selection, *cell), cell);
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  cells.clear();
  for (const auto& [interest, cell] : ranked) cells.push_back(cell);
  return cells;
}

}  // namespace

// Loads only the cells that are drawn: all repetitions of large results do not fit into memory.
Rows sample_strips(const Selection& selection) {
  std::vector<std::pair<const CellData*, CellData>> strips;
  std::size_t with_repetitions = 0;
  for (const CellData* cell : cells_by_interest(selection)) {
    const bool is_measured = !cell->processes.empty() || !cell->set_aside.empty();
    if (!is_measured && cell->failed.empty()) continue;
    if (strips.size() == kMostStrips) {
      with_repetitions += is_measured ? 1U : 0U;
      continue;
    }
    std::optional<CellData> measured = selection.load(*cell);
    if (!measured || processes_of(*measured).empty()) continue;
    strips.emplace_back(cell, *std::move(measured));
    ++with_repetitions;
  }
  if (strips.empty()) return {.why_none = "no process has repetitions"};
  Rows made;
  if (with_repetitions > strips.size()) {
    made.remark = fmt::format("{} of {} cells are shown, first those with lost processes, then those with flags",
                              strips.size(), with_repetitions);
  }
  for (const auto& [cell, measured] : strips) {
    add_strip(selection, *cell, measured, kMostPoints / strips.size(), made.rows);
  }
  return made;
}

}  // namespace ngb::report::figures
