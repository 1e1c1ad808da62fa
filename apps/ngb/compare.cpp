// SPDX-License-Identifier: Apache-2.0
// ngb compare: compares two results folders, or two sides of one, cell by cell, with a verdict for each.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "apps/ngb/command.h"
#include "apps/ngb/terminal.h"
#include "base/text.h"
#include "metrics/comparison.h"
#include "report/compare.h"
#include "store/store.h"

namespace ngb::app {
namespace {

struct CompareArguments {
  std::vector<std::string> results;
  std::string axis;
  std::string baseline;
  std::string candidate;
  double margin_percent = 3;
  bool across_environments = false;
  bool all = false;
  bool json = false;
};

// A results folder, with all its cells.
struct Results {
  store::Store store;
  std::vector<store::CellData> cells;
};

Result<Results> load_results(const std::string& folder) {
  auto store = store::Store::open(std::filesystem::path(folder) / "results.db", store::Mode::read_only);
  if (!store) return error_of(store);
  auto cells = store->load_cells();
  if (!cells) return error_of(cells);
  return Results{*std::move(store), *std::move(cells)};
}

// Returns the cells that `words` name on the axis; all if it is empty. Returns an error if there are none.
Result<metrics::Side> side_of(const Results& results, metrics::Axis axis, const std::string& words) {
  metrics::Side side{.origin = &results};
  std::set<std::string> places;
  for (const store::CellData& cell : results.cells) {
    places.insert(metrics::place_on(axis, cell));
    if (words.empty() || metrics::is_called(words, axis, cell)) side.cells.push_back(&cell);
  }
  if (!side.cells.empty()) return side;
  const std::vector<std::string> there(places.begin(), places.end());
  return fail(fmt::format("no cell with the {} \"{}\"", name(axis), words), results.cells.empty() ? "" : "results",
              "expected one of: " + text::join(there, ", "));
}

// Returns the names and values of the relevant entries in which two environments differ.
std::vector<std::string> differences(const samples::Environment& a, const samples::Environment& b) {
  std::vector<std::string> found;
  for (const samples::EnvironmentEntry& entry : a.entries) {
    if (!entry.is_identity) continue;
    for (const samples::EnvironmentEntry& other : b.entries) {
      if (other.name != entry.name || other.value.value == entry.value.value) continue;
      found.push_back(fmt::format("{}: {} and {}", entry.name, entry.value.value.value_or("unknown"),
                                  other.value.value.value_or("unknown")));
    }
  }
  return found;
}

// Maps each device to the environments in which one side was measured.
std::map<std::string, std::set<std::string>> environments_of(const metrics::Side& side) {
  std::map<std::string, std::set<std::string>> environments;
  for (const store::CellData* cell : side.cells) {
    for (const store::RecordedProcess& process : cell->processes) {
      environments[cell->device].insert(process.environment_hash);
    }
  }
  return environments;
}

// Returns an error that names the differences if a device was not the same on both sides.
Status check_environments(Results& baseline, const metrics::Side& a, Results& candidate, const metrics::Side& b) {
  const auto before = environments_of(a);
  for (const auto& [device, hashes] : environments_of(b)) {
    const auto found = before.find(device);
    if (found == before.end() || found->second == hashes) continue;
    const auto old_one = baseline.store.environment(*found->second.begin());
    const auto new_one = candidate.store.environment(*hashes.begin());
    if (!old_one) return error_of(old_one);
    if (!new_one) return error_of(new_one);
    return fail(
        fmt::format("{} was not the same on both sides: {}", device, text::join(differences(*old_one, *new_one), "; ")),
        {}, "to compare anyway, add --across-environments");
  }
  return Done{};
}

// Returns an error if the command line's arguments contradict each other.
Status check_arguments(const CompareArguments& arguments, metrics::Axis axis) {
  const bool has_both = !arguments.baseline.empty() && !arguments.candidate.empty();
  if (arguments.results.size() == 1 && (axis == metrics::Axis::results || !has_both)) {
    return fail("to compare two sides of one results folder, give --by, --baseline and --candidate",
                arguments.results[0],
                "for example: ngb compare " + arguments.results[0] +
                    " --by compiler --baseline identity --candidate onnxruntime");
  }
  if (axis == metrics::Axis::results && (!arguments.baseline.empty() || !arguments.candidate.empty())) {
    return fail("--baseline and --candidate need an axis", {}, "add for example: --by version");
  }
  return Done{};
}

int compare(const CompareArguments& arguments) {
  const auto axis = metrics::parse_axis(arguments.axis);
  if (!axis) return report_failure(axis.error(), kWrongUsage);
  if (const Status valid = check_arguments(arguments, *axis); !valid) return report_failure(valid.error(), kWrongUsage);
  auto first = load_results(arguments.results.front());
  if (!first) return report_failure(first.error(), kCannotGoOn);
  std::optional<Results> second;
  if (arguments.results.size() > 1) {
    auto loaded = load_results(arguments.results.back());
    if (!loaded) return report_failure(loaded.error(), kCannotGoOn);
    second = *std::move(loaded);
  }
  Results& other = second ? *second : *first;
  const auto baseline = side_of(*first, *axis, arguments.baseline);
  if (!baseline) return report_failure(baseline.error(), kWrongUsage);
  const auto candidate = side_of(other, *axis, arguments.candidate);
  if (!candidate) return report_failure(candidate.error(), kWrongUsage);
  if (second && !arguments.across_environments) {
    const Status alike = check_environments(*first, *baseline, other, *candidate);
    if (!alike) return report_failure(alike.error(), kCannotGoOn);
  }
  const auto comparison =
      metrics::compare(*baseline, *candidate, *axis, {.margin_ratio = arguments.margin_percent / 100});
  if (!comparison) return report_failure(comparison.error(), kCannotGoOn);
  if (arguments.json) {
    print_json_text(report::compare_json(*comparison, *axis));
  } else {
    const OutputShape shape = shape_of_stdout();
    print_table_text(report::compare_table(*comparison, *axis,
                                           {.all = arguments.all, .width = shape.width, .color = shape.has_color}));
  }
  return kSuccess;
}

}  // namespace

void add_compare(CLI::App& app, const Installation& /*installation*/, Action& chosen) {
  const auto arguments = std::make_shared<CompareArguments>();
  arguments->axis = "results";
  CLI::App* command =
      app.add_subcommand("compare", "Judge for each cell whether one side is faster, slower or the same");
  command
      ->add_option("results", arguments->results, "Results folders: baseline and candidate, or one that contains both")
      ->required()
      ->expected(1, 2);
  command->add_option(
      "--by", arguments->axis,
      "The axis in which the sides differ: compiler, version, options, device, threads, precision, model");
  command->add_option("--baseline", arguments->baseline, "The baseline's value on that axis");
  command->add_option("--candidate", arguments->candidate, "The candidate's value on that axis");
  command->add_option("--margin", arguments->margin_percent, "Percent within which two speeds are the same (3)")
      ->check(CLI::Range(0.1, 50.0));
  command->add_flag("--across-environments", arguments->across_environments,
                    "Compare even if a device was not the same on both sides");
  command->add_flag("--all", arguments->all, "List every pair, even if many are the same");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer(
      "Examples:\n  ngb compare results/monday results/friday\n"
      "  ngb compare results/versions --by version --baseline 1.30.0 --candidate 1.31.1\n"
      "  ngb compare results/quickstart --by compiler --baseline identity --candidate onnxruntime");
  command->callback([=, &chosen] { chosen = [=] { return compare(*arguments); }; });
}

}  // namespace ngb::app
