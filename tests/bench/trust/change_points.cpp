// SPDX-License-Identifier: Apache-2.0
// change_points [--studies N] [--check]: how many of N simulated histories (1,000) of 60 points with a step of 1 to 5
// standard deviations show a change, where it is found, and how many histories without one show one. With --check it
// exits with 1 where a share is beyond what docs/history.md says of it.
// change_points --read: reads {"histories": [[value, …], …]} on stdin and writes {"histories": [[{"at", "statistic",
// "p_value"}, …], …], "splits": [{"at", "end", "statistic"} or null, …]}.
// change_points --time CELLS POINTS: how long it takes to find the changes of so many made-up lines, every tenth with a
// step, and to judge their last points, on all processors, and in how much memory.
#include <fmt/format.h>
#include <sys/resource.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <string_view>
#include <vector>

#include "arguments.h"
#include "base/processors.h"
#include "metrics/history/changes.h"
#include "statistics/change_points.h"

namespace ngb::metrics {
namespace {

using nlohmann::json;
using statistics::ChangePoint;

constexpr std::size_t kPoints = 60;

// Draws normal values whose mean is higher by `step` from `at` on.
std::vector<double> history_with(std::mt19937_64& random, std::size_t count, std::size_t at, double step) {
  std::normal_distribution<double> normal;
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(normal(random) + (i >= at ? step : 0));
  return values;
}

struct Shares {
  double found = 0;   // histories with any change, in percent
  double placed = 0;  // with a change within two points of the true one
  double alone = 0;   // with exactly that one
};

Shares simulate(int studies, double step) {
  std::mt19937_64 random(static_cast<unsigned>(1000 * step) + 7);
  std::uniform_int_distribution<std::size_t> somewhere(10, kPoints - 10);
  Shares shares;
  for (int i = 0; i < studies; ++i) {
    const std::size_t at = somewhere(random);
    const auto changes =
        statistics::change_points(history_with(random, kPoints, at, step), {.seed = static_cast<std::uint64_t>(i) + 1});
    bool is_placed = false;
    for (const ChangePoint& each : changes) is_placed = is_placed || (each.at + 2 >= at && each.at <= at + 2);
    shares.found += changes.empty() ? 0 : 1;
    shares.placed += is_placed ? 1 : 0;
    shares.alone += is_placed && changes.size() == 1 ? 1 : 0;
  }
  for (double* const share : {&shares.found, &shares.placed, &shares.alone}) *share *= 100.0 / studies;
  return shares;
}

// What docs/history.md says: of histories without a change at most 5 % show one.
constexpr double kMostFalsePercent = 5;
// Least shares of steps of 1, 2, … 5 standard deviations that are found.
constexpr std::array kLeastFoundPercent{60.0, 99.0, 99.5, 99.5, 99.5};

int run_simulation(const SimulationArguments& arguments) {
  const double tolerance = arguments.is_check ? 300 * std::sqrt(0.05 * 0.95 / arguments.studies) : 0;
  bool holds = true;
  const Shares equal = simulate(arguments.studies, 0);
  fmt::print("{} points, {} histories each\nno step: {:.1f} % show a change\n", kPoints, arguments.studies,
             equal.found);
  holds = holds && equal.found <= kMostFalsePercent + tolerance;
  for (std::size_t i = 0; i < kLeastFoundPercent.size(); ++i) {
    const Shares shares = simulate(arguments.studies, static_cast<double>(i) + 1);
    fmt::print("step of {} sd: {:.1f} % found, {:.1f} % within two points, {:.1f} % and nothing else\n", i + 1,
               shares.found, shares.placed, shares.alone);
    holds = holds && shares.found >= kLeastFoundPercent.at(i) - tolerance;
  }
  return arguments.is_check && !holds ? 1 : 0;
}

int read_histories() {
  const json asked = json::parse(std::cin);
  json found = json::array();
  json splits = json::array();
  for (const json& each : asked.at("histories")) {
    const auto values = each.get<std::vector<double>>();
    json changes = json::array();
    for (const ChangePoint& change : statistics::change_points(values))
      changes.push_back({{"at", change.at}, {"statistic", change.statistic}, {"p_value", change.p_value}});
    found.push_back(std::move(changes));
    const auto split = statistics::best_split(values);
    splits.push_back(split ? json{{"at", split->at}, {"end", split->end}, {"statistic", split->statistic}} : json());
  }
  std::cout << json{{"histories", std::move(found)}, {"splits", std::move(splits)}}.dump() << '\n';
  return 0;
}

int time_histories(std::size_t cells, std::size_t points) {
  std::mt19937_64 random(3);
  history::History whole;
  whole.sources.resize(points);
  whole.origins.resize(1);
  for (std::size_t i = 0; i < cells; ++i) {
    history::Line& line = whole.lines.emplace_back();
    line.why_no_identity = "made up";
    for (const double value : history_with(random, points, points / 2, i % 10 == 0 ? 3 : 0)) {
      const double speed = 100 * std::exp(value / 100);
      line.points.push_back({static_cast<std::uint32_t>(line.points.size()), 0, true, {speed, speed, speed, {}}});
    }
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto findings = history::findings_of(whole, {}, processor_count());
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  std::size_t changed = 0;
  for (const history::Findings& each : findings) changed += each.changes.empty() ? 0U : 1U;
  rusage use{};
  ::getrusage(RUSAGE_SELF, &use);
  const double cpu_s = static_cast<double>(use.ru_utime.tv_sec) + 1e-6 * static_cast<double>(use.ru_utime.tv_usec);
  fmt::print("{} cells with {} points: {:.1f} s, {:.1f} s of processors, {} MB, {} with a change\n", cells, points,
             wall.count(), cpu_s, use.ru_maxrss / 1000, changed);
  return 0;
}

}  // namespace
}  // namespace ngb::metrics

int main(int argc, char** argv) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  try {
    if (first == "--read") return ngb::metrics::read_histories();
    if (first == "--time" && argc == 4)
      return ngb::metrics::time_histories(std::strtoul(argv[2], nullptr, 10), std::strtoul(argv[3], nullptr, 10));
    return ngb::metrics::run_simulation(ngb::metrics::parse_simulation_arguments(argc, argv, 1000));
  } catch (const nlohmann::json::exception& error) {
    std::cerr << "change_points: " << error.what() << '\n';
    return 2;
  }
}
