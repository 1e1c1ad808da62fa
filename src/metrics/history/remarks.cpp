// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "metrics/history/changes.h"

namespace ngb::metrics::history {
namespace {

constexpr std::size_t kMostNamed = 3;

std::string some_of(const std::vector<std::string>& names) {
  const std::vector<std::string> first(names.begin(),
                                       names.begin() + static_cast<std::ptrdiff_t>(std::min(kMostNamed, names.size())));
  const std::string words = text::join(first, ", ");
  return names.size() > kMostNamed ? fmt::format("{} and {} more", words, names.size() - kMostNamed) : words;
}

void add_clocks(const History& history, std::vector<std::string>& found) {
  std::vector<std::string> jumped;
  for (const Source& source : history.sources) {
    if (source.has_clock_jumped_back) jumped.push_back(source.name);
  }
  if (!jumped.empty()) {
    found.push_back(
        fmt::format("The clock jumped back between two runs of {}: the date of the first run counts", some_of(jumped)));
  }
  if (history.order != Order::date) return;
  for (std::size_t i = 1; i < history.sources.size(); ++i) {
    if (history.sources[i].recorded_unix_ns >= history.sources[i - 1].recorded_unix_ns) continue;
    found.push_back(fmt::format("{} was given after {} and has an earlier date: the order is by date recorded",
                                history.sources[i].name, history.sources[i - 1].name));
    return;
  }
}

// Returns the entries that say which machine it is, as one text: "cpu_model Xeon, cpu_cores 4".
std::string machine_of(const samples::Environment& environment) {
  std::vector<std::string> words;
  for (const samples::EnvironmentEntry& entry : environment.entries) {
    if (tells_machines_apart(entry.name) && entry.value.value)
      words.push_back(entry.name + " " + text::visible(*entry.value.value));
  }
  return text::join(words, ", ");
}

void add_machines(const History& history, std::vector<std::string>& found) {
  std::map<std::string, std::set<std::string>> machines;  // by device
  std::map<std::string, std::string> by_hash;
  for (const auto& [hash, environment] : history.environments) by_hash[hash] = machine_of(environment);
  for (const Line& line : history.lines) {
    for (const Point& point : line.points) {
      const auto known = by_hash.find(history.origin(point).environment_hash);
      if (known != by_hash.end()) machines[line.cell.of.device].insert(known->second);
    }
  }
  for (const auto& [device, of_device] : machines) {
    if (of_device.size() < 2) continue;
    found.push_back(fmt::format(
        "{} is {} machines ({}): a change between them is no compiler's; give each a name with --as FOLDER:{}=NAME",
        text::visible(device), of_device.size(),
        text::join(std::vector<std::string>(of_device.begin(), of_device.end()), "; "), text::visible(device)));
  }
}

void add_counts(const History& history, std::vector<std::string>& found) {
  std::size_t lines = 0;
  std::size_t with_gaps = 0;
  std::size_t of_one = 0;
  for (const Line& line : history.lines) {
    if (!line.is_shown) continue;
    const auto values =
        std::ranges::count_if(line.points, [](const Point& point) { return point.value.value.has_value(); });
    ++lines;
    if (values < static_cast<std::ptrdiff_t>(line.points.size())) ++with_gaps;
    if (values < 2) ++of_one;
  }
  if (of_one > 0) {
    found.push_back(fmt::format("{} of {} cells {} fewer than two points with a value, which are no history", of_one,
                                lines, of_one == 1 ? "has" : "have"));
  }
  if (with_gaps > 0) {
    found.push_back(fmt::format("{} of {} cells {} no value in some of the results: their lines have gaps", with_gaps,
                                lines, with_gaps == 1 ? "has" : "have"));
  }
}

}  // namespace

std::vector<std::string> remarks(const History& history) {
  std::vector<std::string> found;
  add_clocks(history, found);
  add_machines(history, found);
  add_counts(history, found);
  return found;
}

}  // namespace ngb::metrics::history
