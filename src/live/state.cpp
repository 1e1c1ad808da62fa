// SPDX-License-Identifier: Apache-2.0
#include "live/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_text.h"
#include "base/text.h"
#include "base/words.h"

namespace ngb::live {
namespace {

constexpr std::array<CellProgress, kCellProgresses> kCellProgress{
    CellProgress::planned, CellProgress::partial, CellProgress::measured, CellProgress::decided, CellProgress::failed};
constexpr std::array kDeviceProgress{DeviceProgress::waiting, DeviceProgress::measuring, DeviceProgress::preparing,
                                     DeviceProgress::finished};

// Returns the cells to send, in the order of the study.
std::vector<std::size_t> sent_cells(const State& state) {
  const std::size_t most = std::min(kMostCellsSent, state.cells.size());
  std::vector<std::size_t> chosen(
      state.changed.begin(), state.changed.begin() + static_cast<std::ptrdiff_t>(std::min(most, state.changed.size())));
  std::sort(chosen.begin(), chosen.end());
  const std::vector<std::size_t> changed = chosen;
  for (std::size_t i = 0; i < state.cells.size() && chosen.size() < most; ++i) {
    if (!std::binary_search(changed.begin(), changed.end(), i)) chosen.push_back(i);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

nlohmann::json or_null(const std::optional<double>& value) { return value ? nlohmann::json(*value) : nullptr; }

nlohmann::json json_of(const std::optional<SpeedUp>& speed_up) {
  if (!speed_up) return nullptr;
  return {{"ratio", speed_up->ratio},
          {"low", or_null(speed_up->low)},
          {"high", or_null(speed_up->high)},
          {"verdict", speed_up->verdict}};
}

nlohmann::json json_of(const Cell& cell) {
  return {{"device", cell.device},
          {"model", cell.model},
          {"batch", cell.batch},
          {"compiler", cell.compiler},
          {"load", cell.load},
          {"processes_left", cell.processes_left},
          {"processes_done", cell.processes_done},
          {"progress", name(cell.progress)},
          {"samples_per_s", or_null(cell.samples_per_s)},
          {"speed_up", json_of(cell.speed_up)},
          {"failure", cell.failure}};
}

// Escapes a label's value as the text format demands: backslash, quotation mark and line feed.
std::string label(std::string_view value) {
  std::string escaped;
  for (const char c : text::to_utf8(value)) {
    if (c == '\\' || c == '"') escaped += '\\';
    if (c == '\n') {
      escaped += "\\n";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

void head(std::string& out, std::string_view metric, std::string_view type, std::string_view help) {
  out += fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", metric, type, help);
}

void add(std::string& out, std::string_view metric, const Cell& cell, double value) {
  out += fmt::format("{}{{device=\"{}\",model=\"{}\",batch=\"{}\",compiler=\"{}\",load=\"{}\"}} {}\n", metric,
                     label(cell.device), label(cell.model), cell.batch, label(cell.compiler), label(cell.load), value);
}

}  // namespace

std::string_view name(CellProgress progress) {
  constexpr EnumWords<5> kWords{"planned", "partial", "measured", "decided", "failed"};
  return word_in(kWords, progress);
}

std::string_view name(DeviceProgress progress) {
  constexpr EnumWords<4> kWords{"waiting", "measuring", "preparing", "finished"};
  return word_in(kWords, progress);
}

void Cells::add(Cell cell) {
  ++count_of(cell.progress);
  cells_.push_back(std::move(cell));
}

void note_change(State& state, std::size_t cell) {
  std::erase(state.changed, cell);
  state.changed.insert(state.changed.begin(), cell);
  if (state.changed.size() > kMostCellsSent) state.changed.pop_back();
}

void note_line(State& state, std::string line) {
  state.lines.push_front(std::move(line));
  if (state.lines.size() > kMostLines) state.lines.pop_back();
}

std::string to_json(const State& state) {
  nlohmann::json devices = nlohmann::json::array();
  for (const Device& device : state.devices) {
    devices.push_back({{"name", device.name}, {"progress", name(device.progress)}, {"doing", device.doing}});
  }
  nlohmann::json counts = nlohmann::json::object();
  for (const CellProgress progress : kCellProgress) counts[std::string(name(progress))] = state.cells.count(progress);
  nlohmann::json cells = nlohmann::json::array();
  for (const std::size_t index : sent_cells(state)) cells.push_back(json_of(state.cells[index]));
  const nlohmann::json all = {{"study", state.study},
                              {"devices", std::move(devices)},
                              {"counts", std::move(counts)},
                              {"cells", std::move(cells)},
                              {"cells_total", state.cells.size()},
                              {"lines", state.lines},
                              {"processes_done", state.processes_done},
                              {"processes_total", state.processes_total},
                              {"left_s", or_null(state.left_s)},
                              {"elapsed_s", state.elapsed_s},
                              {"has_ended", state.has_ended},
                              {"ending", state.ending},
                              {"report", state.report}};
  return json_text::dump(all);
}

std::string to_prometheus(const State& state) {
  std::string out;
  head(out, "ngb_cells", "gauge", "Cells of the study that are left to this run, by progress.");
  for (const CellProgress progress : kCellProgress) {
    out += fmt::format("ngb_cells{{state=\"{}\"}} {}\n", name(progress), state.cells.count(progress));
  }
  head(out, "ngb_processes", "gauge", "Processes that this run has to measure.");
  out += fmt::format("ngb_processes {}\n", state.processes_total);
  head(out, "ngb_processes_done_total", "counter", "Processes that have completed.");
  out += fmt::format("ngb_processes_done_total {}\n", state.processes_done);
  if (state.left_s) {
    head(out, "ngb_time_left_seconds", "gauge", "Estimated time until the last device is done.");
    out += fmt::format("ngb_time_left_seconds {}\n", *state.left_s);
  }
  head(out, "ngb_elapsed_seconds", "gauge", "Time since the run began.");
  out += fmt::format("ngb_elapsed_seconds {}\n", state.elapsed_s);
  head(out, "ngb_device_state", "gauge", "1 for the state that the device is in.");
  for (const Device& device : state.devices) {
    for (const DeviceProgress progress : kDeviceProgress) {
      out += fmt::format("ngb_device_state{{device=\"{}\",state=\"{}\"}} {}\n", label(device.name), name(progress),
                         device.progress == progress ? 1 : 0);
    }
  }
  const std::vector<std::size_t> sent = sent_cells(state);
  head(out, "ngb_cell_throughput_samples_per_second", "gauge", "Median of the latest process of each cell.");
  for (const std::size_t index : sent) {
    const Cell& cell = state.cells[index];
    if (cell.samples_per_s) add(out, "ngb_cell_throughput_samples_per_second", cell, *cell.samples_per_s);
  }
  head(out, "ngb_cell_speed_up_ratio", "gauge", "Speed of each cell over that of its baseline, in the rounds so far.");
  for (const std::size_t index : sent) {
    const Cell& cell = state.cells[index];
    if (cell.speed_up) add(out, "ngb_cell_speed_up_ratio", cell, cell.speed_up->ratio);
  }
  return out;
}

}  // namespace ngb::live
