// SPDX-License-Identifier: Apache-2.0
#include "report/write/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/json_text.h"
#include "report/write/json.h"

namespace ngb::report {
namespace {

using nlohmann::json;

struct Call {
  std::string name{};
  std::string kind{};
  std::string nodes{};
  double start_ns = 0;
  double duration_ns = 0;
};
struct Track {
  std::string name{};  // "resnet18, batch 1, openvino 2026.4.1"
  std::vector<Call> calls{};
};

// Reads a row's values by the names of their columns.
class Reader {
 public:
  explicit Reader(const Table& table) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) places_[table.columns[i].json] = i;
  }
  [[nodiscard]] std::string text(const Row& row, const char* column) const {
    const json& value = row.entries[places_.at(column)].value;
    return value.is_string() ? value.get<std::string>() : value.is_null() ? "" : json_text::dump(value);
  }
  [[nodiscard]] double number(const Row& row, const char* column) const {
    return row.entries[places_.at(column)].number().value_or(0);
  }

 private:
  std::map<std::string, std::size_t> places_{};
};

std::vector<Track> tracks_of(const Table& table) {
  const Reader reader(table);
  std::vector<Track> tracks;
  for (const Section& section : table.sections) {
    section.each_row([&](const Row& row) {
      const std::string name = fmt::format("{}, batch {}, {}", reader.text(row, "model"), reader.text(row, "batch"),
                                           reader.text(row, "compiler"));
      if (tracks.empty() || tracks.back().name != name) tracks.push_back({name});
      tracks.back().calls.push_back({reader.text(row, "name"), reader.text(row, "kind"), reader.text(row, "nodes"),
                                     reader.number(row, "start_ns"), reader.number(row, "duration_ns")});
    });
  }
  return tracks;
}

// Rounds down to a multiple of 1/1024 µs: doubles add such numbers exactly. If a call seems to end after the next one
// begins, even by a billionth, viewers draw the next one inside it.
double on_grid_us(double ns) {
  constexpr double kMicrosecond = 1000;
  constexpr double kSteps = 1024;
  return std::floor(ns / kMicrosecond * kSteps) / kSteps;
}

}  // namespace

std::string to_trace(const Document& document) {
  json events = json::array();
  int process = 0;
  for (const Track& track : tracks_of(document.table)) {
    ++process;
    events.push_back(
        {{"ph", "M"}, {"pid", process}, {"tid", 1}, {"name", "process_name"}, {"args", {{"name", track.name}}}});
    for (std::size_t i = 0; i < track.calls.size(); ++i) {
      const Call& call = track.calls[i];
      const double end_ns = call.start_ns + call.duration_ns;
      const double next_ns = i + 1 < track.calls.size() ? track.calls[i + 1].start_ns : end_ns;
      const double start_us = on_grid_us(call.start_ns);
      events.push_back({{"ph", "X"},
                        {"pid", process},
                        {"tid", 1},
                        {"name", call.name},
                        {"cat", call.kind.empty() ? "kernel" : call.kind},
                        {"ts", start_us},
                        {"dur", on_grid_us(std::min(end_ns, next_ns)) - start_us},
                        {"args", {{"nodes", call.nodes}}}});
    }
  }
  return json_text({{"traceEvents", std::move(events)}, {"displayTimeUnit", "ms"}});
}

}  // namespace ngb::report
