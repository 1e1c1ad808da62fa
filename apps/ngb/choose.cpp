// SPDX-License-Identifier: Apache-2.0
// ngb choose: which of the measured configurations would keep a limit of latency under a load.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <span>
#include <thread>

#include "apps/ngb/command.h"
#include "apps/ngb/sources.h"
#include "apps/ngb/terminal.h"
#include "metrics/derive.h"
#include "report/choice.h"

namespace ngb::app {
namespace {

struct ChooseArguments {
  SourcesArguments results;
  std::string latency;
  std::string load;
  std::string memory;
  std::vector<std::string> costs;
  std::map<std::string, std::vector<std::string>> wanted;  // by the name of the filter
  bool json = false;
  bool all = false;
};

struct Unit {
  std::string_view name;
  double factor;
};

// Parses a positive number and its unit: {"50ms", {{"s", 1}, {"ms", 1e-3}}} is 0.05.
std::optional<double> quantity(std::string_view text, std::span<const Unit> units) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || !(value > 0) || value > 1e18) return std::nullopt;
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  for (const Unit& each : units) {
    if (unit == each.name) return value * each.factor;
  }
  return std::nullopt;
}

constexpr std::array kSeconds{Unit{"s", 1}, Unit{"ms", 1e-3}, Unit{"us", 1e-6}};
constexpr std::array kRates{Unit{"/s", 1}, Unit{"", 1}, Unit{"/min", 1.0 / 60}};
constexpr std::array kBytes{Unit{"GB", 1e9}, Unit{"MB", 1e6}, Unit{"kB", 1e3}, Unit{"B", 1}};
constexpr std::array kPrices{Unit{"", 1}};

// "p99=50ms", or "50ms" for 99 %.
Status read_latency(const std::string& text, report::Demand& demand) {
  const std::size_t equals = text.find('=');
  const std::string which = equals == std::string::npos ? "p99" : text.substr(0, equals);
  const auto limit = quantity(equals == std::string::npos ? text : text.substr(equals + 1), kSeconds);
  const bool is_known = which == "p50" || which == "p90" || which == "p95" || which == "p99";
  if (!limit || !is_known) {
    return fail("expected p50, p90, p95 or p99 and a time", "--latency " + text, "for example --latency p99=50ms");
  }
  demand.percentile = std::stoi(which.substr(1));
  demand.latency_s = *limit;
  return Done{};
}

Status read_costs(const std::vector<std::string>& costs, report::Demand& demand) {
  for (const std::string& each : costs) {
    const std::size_t equals = each.find('=');
    const auto price = equals == std::string::npos ? std::nullopt : quantity(each.substr(equals + 1), kPrices);
    if (!price) return fail("expected DEVICE=PRICE", "--cost " + each, "for example --cost xeon=0.35, per hour");
    demand.cost_per_hour[each.substr(0, equals)] = *price;
  }
  return Done{};
}

Result<report::Demand> demand_of(const ChooseArguments& arguments) {
  report::Demand demand;
  if (const Status read = read_latency(arguments.latency, demand); !read) return error_of(read);
  const auto load = quantity(arguments.load, kRates);
  if (!load)
    return fail("expected a number of requests per second", "--load " + arguments.load, "for example --load 120/s");
  demand.requests_per_s = *load;
  if (!arguments.memory.empty()) {
    demand.bytes = quantity(arguments.memory, kBytes);
    if (!demand.bytes) return fail("expected a size", "--memory " + arguments.memory, "for example --memory 4GB");
  }
  if (const Status read = read_costs(arguments.costs, demand); !read) return error_of(read);
  return demand;
}

int choose(const ChooseArguments& arguments) {
  const auto demand = demand_of(arguments);
  if (!demand) return report_failure(demand.error(), kWrongUsage);
  const auto sources = sources_of(arguments.results);
  if (!sources) return report_failure(sources.error(), kWrongUsage);
  const auto derived = metrics::derive(*sources, static_cast<int>(std::max(1U, std::thread::hardware_concurrency())));
  if (!derived) return report_failure(derived.error(), kCannotGoOn);
  const auto results = report::chosen_results(derived->cells, derived->values, arguments.wanted, derived->baseline);
  if (!results) return report_failure(results.error(), kWrongUsage);
  for (const auto& [device, price] : demand->cost_per_hour) {
    const auto is_on = [&name = device](const store::CellData* cell) { return cell->device == name; };
    if (std::none_of(results->cells.begin(), results->cells.end(), is_on)) {
      return report_failure({"no chosen result is of this device", "--cost " + device, "ngb show lists the devices"},
                            kWrongUsage);
    }
  }
  const std::vector<report::Candidate> found = report::candidates(*results, *demand);
  const OutputShape shape = shape_of_stdout();
  print_table_text(arguments.json
                       ? report::choice_json(found)
                       : report::choice_text(found, *demand,
                                             {.all = arguments.all, .width = shape.width, .color = shape.has_color}));
  const bool any_holds = std::any_of(found.begin(), found.end(),
                                     [](const report::Candidate& each) { return each.fit == report::Fit::holds; });
  return any_holds ? kSuccess : kUndecided;
}

}  // namespace

void add_choose(CLI::App& app, const Installation& /*installation*/, Action& chosen) {
  const auto arguments = std::make_shared<ChooseArguments>();
  CLI::App* command =
      app.add_subcommand("choose", "Say which configurations would answer requests in time, cheapest first");
  constexpr int kMostFolders = 1000;
  add_source_options(*command, arguments->results, "Results folders, which are read as one", 1, kMostFolders);
  command
      ->add_option("--latency", arguments->latency, "Within which time how many percent are to be answered: p99=50ms")
      ->required();
  command->add_option("--load", arguments->load, "Requests that arrive at random: 120/s, of one sample each")
      ->required();
  command->add_option("--memory", arguments->memory, "Leave out what takes more memory: 4GB");
  command->add_option("--cost", arguments->costs, "DEVICE=PRICE per hour, to order by")->allow_extra_args(false);
  add_filter_options(*command, arguments->wanted, "load");  // here, the load is of requests
  command->add_flag("--all", arguments->all, "Also list those that fail, and why");
  command->add_flag("--json", arguments->json, "Print every configuration as JSON");
  command->footer(
      "One server answers one batch after the other; formulas: docs/results.md.\n\n"
      "Exit codes: 0 at least one holds, 5 none is shown to hold; 2 and 3 as everywhere.\n\n"
      "Examples:\n  ngb choose results/quickstart --latency p99=200ms --load 5/s --model resnet18\n"
      "  ngb choose results/xeon results/orin --latency p90=30ms --load 60/s --cost xeon=0.35 --cost orin=0.05");
  command->callback([=, &chosen] { chosen = [=] { return choose(*arguments); }; });
}

}  // namespace ngb::app
