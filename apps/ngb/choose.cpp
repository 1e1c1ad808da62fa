// SPDX-License-Identifier: Apache-2.0
// ngb choose: which of the measured configurations would keep a limit of latency under a load.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <set>
#include <span>

#include "apps/ngb/command.h"
#include "apps/ngb/device_costs.h"
#include "apps/ngb/format_option.h"
#include "apps/ngb/run_display.h"
#include "apps/ngb/sources.h"
#include "apps/ngb/terminal.h"
#include "base/processors.h"
#include "campaign/confirm.h"
#include "metrics/derive.h"
#include "metrics/service_times.h"
#include "report/choice/choice.h"
#include "report/choice/confirmation.h"
#include "statistics/binomial_intervals.h"

namespace ngb::app {
namespace {

struct ChooseArguments {
  SourcesArguments results;
  std::string latency;
  std::string load;
  std::string memory;
  std::string disk;
  std::optional<double> min_agreement;
  std::string metric;
  std::vector<std::string> costs;
  std::map<std::string, std::vector<std::string>> wanted;  // by the name of the filter
  FormatArguments format;
  bool all = false;
  bool confirms = false;
  int requests = 0;    // 0: as many as are usual for the percentile
  std::string output;  // of --confirm
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
  if (!arguments.disk.empty()) {
    demand.disk_bytes = quantity(arguments.disk, kBytes);
    if (!demand.disk_bytes) return fail("expected a size", "--disk " + arguments.disk, "for example --disk 20MB");
  }
  demand.min_agreement = arguments.min_agreement;
  if (!arguments.metric.empty()) {
    const auto by = metrics::parse_judged(arguments.metric, 0);
    if (!by) return error_of(by);
    demand.by = *by;
    if (by->metric == nullptr) demand.by.metric = metrics::find_metric(by->name());
  }
  auto costs = parse_costs(arguments.costs);
  if (!costs) return error_of(costs);
  demand.cost_per_hour = *std::move(costs);
  return demand;
}

std::vector<std::string> devices_of(const report::Results& results) {
  std::set<std::string> names;
  for (const store::CellData* cell : results.cells) names.insert(cell->of.device);
  return {names.begin(), names.end()};
}

// Returns how many requests confirm the choice: those that the user asks for, or as many as are usual. Returns an error
// if they are too few for the percentile.
Result<std::size_t> requests_for(const ChooseArguments& arguments, const report::Demand& demand,
                                 double utilisation_ratio) {
  constexpr double kWholePercent = 100;
  const std::size_t fewest = demand.percentile > 50
                                 ? statistics::fewest_for_percentile(demand.percentile)
                                 : statistics::fewest_for_upper_end(demand.percentile / kWholePercent);
  const auto given = static_cast<std::size_t>(arguments.requests);
  if (given > 0 && given < fewest) {
    return fail(fmt::format("too few requests for p{}: its interval has no upper end", demand.percentile),
                fmt::format("--requests {}", given), fmt::format("give at least {}", fewest));
  }
  return given > 0 ? given : report::usual_requests(demand.percentile, utilisation_ratio);
}

// Measures the first candidate under the load, and prints what became of the limit beside the prediction.
int confirm(const Installation& installation, const ChooseArguments& arguments,
            const std::vector<store::Source>& sources, const std::vector<report::Candidate>& found,
            const report::Demand& demand) {
  const report::Candidate& first = found.front();
  if (first.fit == report::Fit::unknown) {
    return report_failure({"nothing is known of any configuration: " + first.why, "--confirm", "measure more first"},
                          kUndecided);
  }
  const auto requests = requests_for(arguments, demand, *first.utilisation_ratio);
  if (!requests) return report_failure(requests.error(), kWrongUsage);
  RunDisplay display;
  const auto served = campaign::serve(installation, sources,
                                      {.cell = first.cell,
                                       .requests_per_s = demand.requests_per_s,
                                       .requests = *requests,
                                       .busy_s = *first.utilisation_ratio / demand.requests_per_s},
                                      arguments.output, display);
  if (!served) return report_refusal(served.error());
  const report::Confirmation judged = report::confirmation_of(served->cell, demand);
  const bool is_json = arguments.format.is_json();
  print_table_text(is_json ? report::confirmation_json(judged, first, served->results.string())
                           : report::confirmation_text(judged, first, demand));
  if (!is_json) say("  results:   {}\n", served->results.string());
  return judged.held == report::Held::yes ? kSuccess : judged.held == report::Held::no ? kNotHeld : kUndecided;
}

int choose(const Installation& installation, const ChooseArguments& arguments) {
  const auto format = arguments.format.among(report::text_and_json());
  if (!format) return report_failure(format.error(), kWrongUsage);
  auto demand = demand_of(arguments);
  if (!demand) return report_failure(demand.error(), kWrongUsage);
  const auto sources = sources_of(arguments.results);
  if (!sources) return report_failure(sources.error(), kWrongUsage);
  const auto derived = metrics::derive(*sources, processor_count());
  if (!derived) return report_failure(derived.error(), kCannotGoOn);
  const auto results = report::passing_results(derived->cells, derived->values, arguments.wanted, derived->baseline);
  if (!results) return report_failure(results.error(), kWrongUsage);
  const Status are_known = check_costs(demand->cost_per_hour, devices_of(*results));
  if (!are_known) return report_failure(are_known.error(), kWrongUsage);
  auto costs = with_recorded_costs(std::move(demand->cost_per_hour), *sources);
  if (!costs) return report_failure(costs.error(), kCannotGoOn);
  demand->cost_per_hour = *std::move(costs);
  std::set<std::string> ids;
  for (const store::CellData* cell : results->cells) ids.insert(cell->cell_id);
  const auto times =
      metrics::read_service_times(*sources, [&](const std::string& cell_id) { return ids.contains(cell_id); });
  if (!times) return report_failure(times.error(), kCannotGoOn);
  const std::vector<report::Candidate> found = report::candidates(*results, *demand, *times);
  const OutputShape shape = shape_of_stdout();
  if ((*format)->is("text")) {
    print_table_text(report::choice_text(
        found, *demand, {.all = arguments.all, .width = shape.width, .wrap = shape.wrap, .color = shape.has_color}));
  } else if (!arguments.confirms) {
    print_table_text(report::choice_json(found));
  }
  if (arguments.confirms) return confirm(installation, arguments, *sources, found, *demand);
  const bool any_holds = std::any_of(found.begin(), found.end(),
                                     [](const report::Candidate& each) { return each.fit == report::Fit::holds; });
  return any_holds ? kSuccess : kUndecided;
}

}  // namespace

void add_choose(CLI::App& app, const Installation& installation, Action& chosen) {
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
  command->add_option("--disk", arguments->disk,
                      "Leave out what takes more on a disk, the model and all libraries that run it: 200MB");
  command
      ->add_option("--min-agreement", arguments->min_agreement,
                   "Leave out variants that agree less with their exact model: 0.99")
      ->check(CLI::Range(0.0, 1.0));
  command->add_option("--metric", arguments->metric,
                      "List first what is the best by this metric, before its cost: timed_peak_bytes, cold_start_s, …");
  add_cost_option(*command, arguments->costs);
  add_filter_options(*command, arguments->wanted, "load");  // here, the load is of requests
  command->add_flag("--all", arguments->all, "Also list those that fail, and why");
  CLI::Option* confirms =
      command->add_flag("--confirm", arguments->confirms,
                        "Measure the first configuration of the list under requests that arrive at random");
  command
      ->add_option("--requests", arguments->requests,
                   "How many arrive (128, 260 or 1324 for p90, p95 or p99, / (1 - busy)²)")
      ->check(CLI::Range(1, 1'000'000))
      ->needs(confirms);
  command->add_option("-o,--output", arguments->output, "Results folder of --confirm (RESULTS-confirm/TIME)")
      ->needs(confirms);
  add_format_option(
      *command, arguments->format, report::text_and_json(),
      "One server, or each of several instances, answers one batch after the other; formulas: docs/results.md.\n\n"
      "Exit codes: 0 at least one holds, 5 none is shown to hold; 2 and 3 as everywhere. With --confirm: 0 it held, 4 "
      "it\n"
      "did not, 5 the interval of the percentile contains the limit.\n\n"
      "Examples:\n  ngb choose results/quickstart --latency p99=200ms --load 5/s --model resnet18\n"
      "  ngb choose results/xeon results/orin --latency p90=30ms --load 60/s --cost xeon=0.35 --cost orin=0.05\n"
      "  ngb choose results/quickstart --latency p90=200ms --load 5/s --model resnet18 --confirm");
  command->callback(
      [=, &installation, &chosen] { chosen = [=, &installation] { return choose(installation, *arguments); }; });
}

}  // namespace ngb::app
