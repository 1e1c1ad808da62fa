// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/comparing.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "apps/ngb/kept_calibrations.h"
#include "apps/ngb/terminal.h"
#include "base/text.h"

namespace ngb::app {
namespace {

using metrics::Axis;

Result<std::unique_ptr<LoadedResults>> load_results(const std::vector<store::Source>& sources) {
  std::vector<std::string> folders;
  for (const store::Source& source : sources) folders.push_back(source.file.parent_path().string());
  const std::string folder = text::join(folders, ", ");
  auto store = store::open_sources(sources);
  if (!store) return error_of(store);
  auto cells = store->load_cells(store::Detail::speeds);
  if (!cells) return error_of(cells);
  if (cells->empty()) return fail("these results have no cells", folder);
  return std::make_unique<LoadedResults>(LoadedResults{folder, *std::move(store), *std::move(cells)});
}

// Returns the cells that `words` name on the axis; all if it is empty. Returns an error if there are none.
Result<metrics::Side> side_of(const LoadedResults& results, Axis axis, const std::string& words) {
  metrics::Side side{.origin = &results};
  std::set<std::string> places;
  for (const store::CellData& cell : results.cells) {
    places.insert(metrics::place_on(axis, cell));
    if (words.empty() || metrics::is_called(words, axis, cell)) side.cells.push_back(&cell);
  }
  if (!side.cells.empty()) return side;
  const std::vector<std::string> there(places.begin(), places.end());
  return fail(fmt::format("no cell with the {} \"{}\"", name(axis), words), results.folder,
              "expected one of: " + text::join(there, ", "));
}

// Returns the entries of two environments or protocols that differ: "governor: powersave and performance".
std::string differing_entries(const std::map<std::string, std::string>& a,
                              const std::map<std::string, std::string>& b) {
  std::vector<std::string> found;
  std::set<std::string> keys;
  for (const auto& [key, value] : a) keys.insert(key);
  for (const auto& [key, value] : b) keys.insert(key);
  const auto value_of = [](const auto& entries, const std::string& key) {
    const auto entry = entries.find(key);
    return entry == entries.end() ? std::string("not recorded") : entry->second;
  };
  for (const std::string& key : keys) {
    if (value_of(a, key) == value_of(b, key)) continue;
    found.push_back(fmt::format("{}: {} and {}", key, value_of(a, key), value_of(b, key)));
  }
  return text::join(found, "; ");
}

// Returns an error if the two results were measured under protocols whose numbers mean different things. The number of
// processes may differ.
Status check_protocols(LoadedResults& baseline, LoadedResults& candidate) {
  auto old_one = baseline.store.protocol();
  if (!old_one) return error_of(old_one);
  auto new_one = candidate.store.protocol();
  if (!new_one) return error_of(new_one);
  if (old_one->empty() || new_one->empty()) return Done{};
  old_one->erase("processes");
  new_one->erase("processes");
  if (*old_one == *new_one) return Done{};
  return fail("the two sides were measured under different protocols: " + differing_entries(*old_one, *new_one),
              fmt::format("{} and {}", baseline.folder, candidate.folder), "to compare anyway, add --across-protocols");
}

int turns_of(const std::map<std::string, std::string>& protocol) {
  int turns = 1;  // results of processes one after the other do not say so
  if (const auto stored = protocol.find("turns"); stored != protocol.end()) {
    std::from_chars(stored->second.data(), stored->second.data() + stored->second.size(), turns);
  }
  return turns;
}

// Returns the deviation of quiet cells that a calibration found for as many turns as both sides had; nothing if they
// had unlike ones.
Result<std::optional<double>> calibrated_deviation(LoadedResults& baseline, LoadedResults& candidate,
                                                   const metrics::Comparison& comparison,
                                                   const std::filesystem::path& cache) {
  std::set<int> turns;
  for (LoadedResults* const side : {&baseline, &candidate}) {
    const auto protocol = side->store.protocol();
    if (!protocol) return error_of(protocol);
    turns.insert(turns_of(*protocol));
  }
  return turns.size() == 1 ? quiet_deviation_for(comparison, *turns.begin(), cache) : std::nullopt;
}

Result<std::map<std::string, std::string>> relevant_entries(LoadedResults& results, const std::string& hash) {
  const auto environment = results.store.environment(hash);
  if (!environment) return error_of(environment);
  std::map<std::string, std::string> entries;
  for (const samples::EnvironmentEntry& entry : environment->entries) {
    if (entry.is_identity) entries.emplace(entry.name, entry.value.value.value_or("unknown"));
  }
  return entries;
}

std::string environment_of(const store::CellData& cell) {
  return cell.processes.empty() ? std::string() : cell.processes.front().environment_hash;
}

// Returns an error that names the differences if the sides of a pair were measured in different environments of one
// device.
Status check_environments(const metrics::Comparison& comparison, LoadedResults& baseline, LoadedResults& candidate) {
  for (const metrics::ComparedPair& pair : comparison.pairs) {
    const std::string before = environment_of(*pair.baseline);
    const std::string now = environment_of(*pair.candidate);
    if (pair.baseline->of.device != pair.candidate->of.device || before.empty() || now.empty() || before == now)
      continue;
    const auto old_one = relevant_entries(baseline, before);
    if (!old_one) return error_of(old_one);
    const auto new_one = relevant_entries(candidate, now);
    if (!new_one) return error_of(new_one);
    return fail(fmt::format("{} was not the same on both sides: {}", pair.candidate->of.device,
                            differing_entries(*old_one, *new_one)),
                {}, "to compare anyway, add --across-environments");
  }
  return Done{};
}

// Two results folders are the two sides.
bool is_read_as_one(const ComparisonArguments& arguments) {
  return arguments.join || arguments.results.folders.size() != 2;
}

// Returns the axis that the arguments ask for, or an error if they contradict each other.
Result<Axis> axis_of(const ComparisonArguments& arguments) {
  const bool has_both = !arguments.baseline.empty() && !arguments.candidate.empty();
  if (arguments.axis.empty() && has_both) return metrics::axis_meant_by(arguments.baseline, arguments.candidate);
  const auto axis = metrics::parse_axis(arguments.axis.empty() ? "results" : arguments.axis);
  if (!axis) return axis;
  const bool is_one = is_read_as_one(arguments);
  if (is_one && (*axis == Axis::results || !has_both)) {
    return fail(
        fmt::format("to compare two sides of {}, give --baseline and --candidate",
                    arguments.results.folders.size() == 1 ? "one results folder" : "results that are read as one"),
        text::join(arguments.results.folders, ", "),
        "for example: --baseline identity --candidate onnxruntime, or with another axis: --by threads --baseline "
        "1 --candidate 2");
  }
  if (*axis == Axis::results && (!arguments.baseline.empty() || !arguments.candidate.empty())) {
    return fail("--baseline and --candidate need each other, or an axis", {}, "add for example: --by version");
  }
  return axis;
}

tl::unexpected<ExitCode> refuse(const Error& error, ExitCode code) {
  report_failure(error, code);
  return tl::unexpected(code);
}

}  // namespace

void add_comparison_options(CLI::App& command, ComparisonArguments& arguments, const std::string& what_results,
                            const std::string& examples) {
  constexpr int kMostFolders = 1000;
  add_source_options(command, arguments.results, what_results, 1, kMostFolders);
  command.add_flag("--join", arguments.join, "Read two results folders as one, as three and more are");
  command.add_option("--by", arguments.axis,
                     "The axis in which the sides differ: compiler, version, options, device, compute_device, threads, "
                     "precision, load, "
                     "model");
  command.add_option("--baseline", arguments.baseline,
                     "The baseline's value on that axis; without --by, a compiler: NAME or NAME@VERSION");
  command.add_option("--candidate", arguments.candidate, "The candidate's value, likewise");
  command.add_option("--margin", arguments.margin_percent, "Percent within which two speeds are the same (3)")
      ->check(CLI::Range(0.1, 50.0));
  command.add_flag("--across-environments", arguments.across_environments,
                   "Compare even if a device was not the same on both sides");
  command.add_flag("--across-protocols", arguments.across_protocols,
                   "Compare even if two results folders were measured under different protocols");
  command.add_flag("--all", arguments.all, "List every pair, even if many are the same");
  CLI::Option* format = command.add_option("--format", arguments.format, "Output format (default: text); see below");
  command.add_flag("--json", arguments.json, "Short for --format json")->excludes(format);
  std::string formats = "Formats:\n";
  for (const report::CompareFormat& each : report::compare_formats()) {
    formats += fmt::format("  {:<10}{}\n", each.name, each.meaning);
  }
  command.footer(formats + "\n" + examples);
}

tl::expected<JudgedResults, ExitCode> judge_results(const Installation& installation,
                                                    const ComparisonArguments& arguments,
                                                    metrics::Adjustment adjustment) {
  const auto axis = axis_of(arguments);
  if (!axis) return refuse(axis.error(), kWrongUsage);
  JudgedResults made{.loaded = {}, .comparison = {}, .axis = *axis};
  const auto sources = sources_of(arguments.results);
  if (!sources) return refuse(sources.error(), kWrongUsage);
  std::vector<std::vector<store::Source>> read{*sources};
  if (!is_read_as_one(arguments)) read = {{sources->front()}, {sources->back()}};
  for (const std::vector<store::Source>& together : read) {
    auto loaded = load_results(together);
    if (!loaded) return refuse(loaded.error(), kCannotGoOn);
    made.loaded.push_back(*std::move(loaded));
  }
  LoadedResults& first = *made.loaded.front();
  LoadedResults& second = *made.loaded.back();
  const auto baseline = side_of(first, *axis, arguments.baseline);
  if (!baseline) return refuse(baseline.error(), kWrongUsage);
  const auto candidate = side_of(second, *axis, arguments.candidate);
  if (!candidate) return refuse(candidate.error(), kWrongUsage);
  if (!arguments.across_protocols && &first != &second) {
    const Status alike = check_protocols(first, second);
    if (!alike) return refuse(alike.error(), kCannotGoOn);
  }
  metrics::VerdictRules rules{.margin_ratio = arguments.margin_percent / 100, .adjustment = adjustment};
  auto comparison = metrics::compare(*baseline, *candidate, *axis, rules);
  if (!comparison) return refuse(comparison.error(), kCannotGoOn);
  const auto quiet = calibrated_deviation(first, second, *comparison, installation.cache);
  if (!quiet) return refuse(quiet.error(), kCannotGoOn);
  if (*quiet) {
    rules.quiet_deviation = *quiet;
    comparison = metrics::compare(*baseline, *candidate, *axis, rules);
    if (!comparison) return refuse(comparison.error(), kCannotGoOn);
  }
  if (!arguments.across_environments) {
    const Status alike = check_environments(*comparison, first, second);
    if (!alike) return refuse(alike.error(), kCannotGoOn);
  }
  made.comparison = *std::move(comparison);
  return made;
}

Result<double> parse_percent(const std::string& given, const std::string& option) {
  std::string_view digits = text::trim(given);
  if (digits.ends_with('%')) digits = text::trim(digits.substr(0, digits.size() - 1));
  double percent = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), percent);
  constexpr double kMostPercent = 1000;
  const bool is_number = problem == std::errc{} && end == digits.data() + digits.size();
  if (is_number && percent >= 0 && percent <= kMostPercent) return percent;
  return fail("\"" + given + "\" is no share", option, "expected 0% to 1000%, for example 3%");
}

tl::expected<const report::CompareFormat*, ExitCode> format_of(const ComparisonArguments& arguments) {
  const auto format = report::find_compare_format(arguments.json ? "json" : arguments.format);
  if (!format) return refuse(format.error(), kWrongUsage);
  return *format;
}

void print_comparison(const report::Compared& compared, const report::CompareFormat& format, bool all) {
  const OutputShape shape = shape_of_stdout();
  print_table_text(format.show(compared, {.all = all, .width = shape.width, .color = shape.has_color}));
  if (format.annotate != nullptr) print_error(format.annotate(compared));
}

}  // namespace ngb::app
