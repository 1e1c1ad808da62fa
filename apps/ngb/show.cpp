// SPDX-License-Identifier: Apache-2.0
#include "report/show/show.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "apps/ngb/command.h"
#include "apps/ngb/format_option.h"
#include "apps/ngb/results_table.h"
#include "apps/ngb/sources.h"
#include "apps/ngb/terminal.h"
#include "base/processors.h"
#include "campaign/installation.h"
#include "campaign/kept_calibrations.h"
#include "metrics/derive.h"
#include "metrics/families.h"
#include "metrics/outcome.h"
#include "metrics/series/derive_series.h"
#include "paper/claims.h"
#include "report/series/models.h"
#include "report/series/series.h"
#include "report/write/text_width.h"

namespace ngb::app {
namespace {

struct ShowArguments {
  SourcesArguments results;
  FormatArguments format;
  bool all = false;
  bool best = false;
  bool notes = false;
  bool series = false;
  bool findings = false;
  bool models = false;
  std::vector<std::string> at_least;  // of models: "throughput_per_s=200"
  std::vector<std::string> at_most;
  std::string across;                                      // of models; "": as in the goal
  std::string baseline;                                    // "": that of the study
  std::string metric;                                      // by which the answer is given; "": likewise
  std::string columns;                                     // "": the usual ones
  std::map<std::string, std::vector<std::string>> wanted;  // by the name of the filter
};

report::ShowOptions options_for_terminal(const Installation& installation, const ShowArguments& arguments,
                                         const metrics::Heading& heading, std::vector<report::NumberColumn> columns) {
  const OutputShape shape = shape_of_stdout();
  return {.columns = std::move(columns),
          .all = arguments.all,
          .notes = arguments.notes || arguments.all,
          .best = arguments.best || heading.asks_best_options,
          .width = shape.width,
          .wrap = shape.wrap,
          .color = shape.has_color,
          .peak_of = campaign::peaks_in(campaign::trusted_cache(installation))};
}

// Of more cells no values are kept: whoever queries them computes what they need.
constexpr std::size_t kMostCellsWithValues = 10'000;

// For more cells than this the answer takes seconds. It is then left out; `ngb show --findings` prints it.
constexpr std::size_t kMostCellsWithAnAnswer = 5000;

// Prints which model is the best for the goal of the study, or the fastest, and an empty line; nothing if models are
// not compared.
void print_answer_about_models(const metrics::Derived& derived, const report::Format& format) {
  const OutputShape shape = shape_of_stdout();
  const auto models = report::models_of_answer(derived);
  if (!models) return;
  const report::Document told = report::shortened(*models, derived.goal.is_asked);
  const bool has_rows = !told.table.sections.empty();
  print_table_text((has_rows ? format.write(told, {.width = shape.width, .wrap = shape.wrap, .color = shape.has_color})
                             : report::wrapped(told.summary, shape.wrap) + '\n') +
                   '\n');
}

// Prints the answer and an empty line, if there is one.
void print_answer(const report::Results& results) {
  const std::string answer = report::answer_text(results);
  if (!answer.empty()) print_table_text(report::wrapped(answer, shape_of_stdout().wrap) + '\n');
}

// Shows results whose cells do not fit into memory together: they come family by family.
int show_in_parts(const Installation& installation, metrics::FamilyReader& reader, const ShowArguments& arguments,
                  const report::Format& format, const std::vector<report::NumberColumn>& columns) {
  report::CellFilter filter(arguments.wanted);
  const auto chosen = report::passing_families(reader, filter);
  if (!chosen) return report_failure(chosen.error(), kCannotGoOn);
  if (const Status known = filter.check(); !known) return report_failure(known.error(), kWrongUsage);
  const metrics::Heading& heading = reader.heading();
  std::set<std::string> devices;
  for (const store::ValueFamily& family : chosen->families) devices.insert(family.device);
  const std::vector<store::DerivedValue> none;
  const report::Results whole{.numbers = metrics::Numbers(none),
                              .baseline = heading.baseline,
                              .differences = report::environment_differences(heading.environments, devices),
                              .allocator = heading.allocator,
                              .come_in_parts = true};
  const report::ShowOptions options = options_for_terminal(installation, arguments, heading, columns);
  const bool with_best_options = options.best && format.is("text");
  const auto each = [&](const report::UsePart& use) {
    return report::each_family(reader, chosen->families, filter, with_best_options,
                               [&use](const report::FamilyResults& family) { use(family.results); });
  };
  const Status done = report::show(format, whole, each, options, print_table_text);
  return done ? kSuccess : report_failure(done.error(), kCannotGoOn);
}

// Returns the goal of the study with what the command line says in its place.
Result<metrics::Goal> goal_of(const ShowArguments& arguments, metrics::Goal goal) {
  for (const bool is_least : {true, false}) {
    const std::vector<std::string>& given = is_least ? arguments.at_least : arguments.at_most;
    if (!given.empty()) std::erase_if(goal.bounds, [&](const auto& each) { return each.is_least == is_least; });
    for (const std::string& each : given) {
      const std::size_t equals = std::min(each.find('='), each.size());
      const std::string amount = equals < each.size() ? each.substr(equals + 1) : "";
      const auto bound = metrics::parse_bound(each.substr(0, equals), amount, is_least);
      if (!bound) return error_of(bound);
      goal.bounds.push_back(*bound);
    }
  }
  if (!arguments.across.empty()) goal.across = metrics::parse_across(arguments.across).value_or(goal.across);
  return goal;
}

// Prints which model is the best.
int show_models(metrics::FamilyReader& reader, const ShowArguments& arguments, const report::Format& format) {
  const auto goal = goal_of(arguments, reader.heading().goal);
  if (!goal) return report_failure(goal.error(), kWrongUsage);
  if (std::ranges::any_of(arguments.wanted, [](const auto& filter) { return !filter.second.empty(); })) {
    return report_failure({"--models compares all models of the results", "--models", "leave out the filters"},
                          kWrongUsage);
  }
  const auto derived = metrics::derive(reader, reader.families(), processor_count());
  if (!derived) return report_failure(derived.error(), kCannotGoOn);
  const OutputShape shape = shape_of_stdout();
  print_table_text(format.write(
      report::models_document(*derived, *goal),
      {.all = arguments.all, .width = arguments.all ? 0 : shape.width, .wrap = shape.wrap, .color = shape.has_color}));
  return kSuccess;
}

int show(const Installation& installation, const ShowArguments& arguments) {
  const auto format = arguments.format.among(report::show_formats());
  if (!format) return report_failure(format.error(), kWrongUsage);
  std::vector<report::NumberColumn> columns;
  if (!arguments.columns.empty()) {
    auto named = report::columns_called(arguments.columns);
    if (!named) return report_failure(named.error(), kWrongUsage);
    columns = *std::move(named);
    if ((*format)->is("csv") || (*format)->is("json"))
      return report_failure({"csv and json have every column", "--columns", "leave out --columns"}, kWrongUsage);
  }
  const auto sources = sources_of(arguments.results);
  if (!sources) return report_failure(sources.error(), kWrongUsage);
  auto reader = metrics::FamilyReader::open(
      *sources, arguments.baseline.empty() ? std::nullopt : std::optional(arguments.baseline), arguments.metric);
  if (has_code(reader, ErrorCode::not_found)) return report_failure(reader.error(), kWrongUsage);
  if (!reader) return report_failure(reader.error(), kCannotGoOn);
  if (arguments.models) return show_models(*reader, arguments, **format);
  const bool is_table = !arguments.series && !arguments.findings;
  if (is_table && reader->cell_count() > metrics::kMostCellsInMemory) {
    return show_in_parts(installation, *reader, arguments, **format, columns);
  }
  auto derived = metrics::derive(*reader, reader->families(), processor_count());
  if (!derived) return report_failure(derived.error(), kCannotGoOn);
  auto results = report::passing_results(derived->cells, derived->values, arguments.wanted, derived->baseline);
  if (!results) return report_failure(results.error(), kWrongUsage);
  report::add_differences(*results, derived->environments);
  results->allocator = derived->allocator;
  const report::ShowOptions options = options_for_terminal(installation, arguments, *derived, columns);
  const bool is_of_all = std::all_of(arguments.wanted.begin(), arguments.wanted.end(),
                                     [](const auto& filter) { return filter.second.empty(); });
  const bool has_answer = is_table && columns.empty() && (*format)->is("text") && is_of_all &&
                          derived->cells.size() <= kMostCellsWithAnAnswer;
  std::vector<store::SeriesPart> series;
  if (!is_table || (*format)->is("json") || has_answer) {
    series = metrics::series::derive_series(*derived, paper::claims().rows);
    report::add_series(*results, series);
  }
  if (has_answer && derived->goal.is_asked) print_answer_about_models(*derived, **format);
  if (has_answer) print_answer(*results);
  if (has_answer && !derived->goal.is_asked) print_answer_about_models(*derived, **format);
  if (is_table) {
    report::show(**format, *results, options, print_table_text);
    const std::string shapes = has_answer ? report::shapes_text(*results, options) : "";
    if (!shapes.empty()) print_table_text('\n' + shapes);
  } else {
    print_table_text(arguments.series ? report::series_text(*results, options)
                                      : report::findings_text(*results, options, paper::claims().of));
  }
  return kSuccess;
}

}  // namespace

int print_table(const Installation& installation, const std::filesystem::path& results_folder,
                const FormatArguments& format) {
  ShowArguments arguments;
  arguments.format = format;
  arguments.results.folders = {results_folder.string()};
  return show(installation, arguments);
}

void keep_values(const std::filesystem::path& results_folder) {
  const std::filesystem::path file = results_folder / "results.db";
  {
    auto store = store::Store::open(file, store::Mode::read_only);
    const auto cells = store ? store->cell_states() : Result<std::vector<store::CellState>>(error_of(store));
    if (!cells || cells->size() > kMostCellsWithValues) return;
  }
  (void)metrics::series::derive_and_keep(file, paper::claims().rows, processor_count());
}

void add_show(CLI::App& app, const Installation& installation, Action& chosen) {
  const auto arguments = std::make_shared<ShowArguments>();
  CLI::App* command = app.add_subcommand("show", "Print results as a table, or in another format");
  constexpr int kMostFolders = 1000;
  add_source_options(*command, arguments->results, "Results folders, which are read as one", 1, kMostFolders);
  add_filter_options(*command, arguments->wanted);
  command->add_option("--baseline", arguments->baseline,
                      "The compiler to which speed-ups refer: NAME, NAME@VERSION, or its label in the study (default: "
                      "the study's baseline)");
  command->add_option("--metric", arguments->metric,
                      "Say first what is the best by this metric, instead of the fastest: timed_peak_bytes, "
                      "compile_total_s, …; NAME:5% is the same within 5 % (default: the study's metric)");
  command->add_option("--columns", arguments->columns,
                      "Text and Markdown: these columns, such as size,agreement,latency: names of metrics, or headings "
                      "with - in place of blanks");
  command->add_flag("--all", arguments->all, "Text and Markdown: every metric, without a limit of width");
  command->add_flag("--notes", arguments->notes, "Text: every flag by its name, and below the table what each means");
  command->add_flag("--best", arguments->best,
                    "Text: below the table, the best options of each compiler, even if the study does not ask for "
                    "them");
  CLI::Option* series = command->add_flag("--series", arguments->series,
                                          "Instead of the table of cells: numbers that span cells, such as depth "
                                          "slopes and means of families");
  CLI::Option* findings = command->add_flag("--findings", arguments->findings,
                                            "Instead of the table of cells: what the results say, in sentences; "
                                            "reversed orders; the paper's claims");
  CLI::Option* models = command->add_flag("--models", arguments->models,
                                          "Instead of the table of cells: which model is the best for the study's goal "
                                          "or by --metric, of each its best compiler, and which may be it");
  command
      ->add_option("--at-least", arguments->at_least,
                   "With --models: only settings with at least this of a metric, such as throughput_per_s=200, "
                   "in place of the goal's")
      ->needs(models);
  command->add_option("--at-most", arguments->at_most, "With --models: likewise, such as \"timed_peak_bytes=500 MB\"")
      ->needs(models);
  command
      ->add_option("--across", arguments->across,
                   "With --models: what counts of several devices: each, worst or mean (default: as in the goal)")
      ->needs(models)
      ->check(CLI::IsMember({"each", "worst", "mean"}));
  add_format_option(
      *command, arguments->format, report::show_formats(),
      "A filter may be repeated: a cell is shown if one of its words fits.\n\n"
      "Examples:\n  ngb show results/quickstart\n"
      "  ngb show results/quickstart --format csv --compiler openvino --batch 1 > openvino.csv\n"
      "  ngb show results/versions --baseline onnxruntime@1.30.0\n"
      "  ngb show results/quickstart --findings\n"
      "  ngb show results/int8 --columns size,agreement,latency\n"
      "  ngb show results/encoder --models --metric tcr_bits_per_s --at-least throughput_per_s=200\n"
      "  ngb show results/xeon results/laptop --as results/xeon:local=xeon --as results/laptop:local=laptop");
  for (CLI::Option* option : {series, findings}) option->excludes("--format")->excludes("--json")->excludes("--best");
  series->excludes(findings);
  models->excludes(series)->excludes(findings)->excludes("--best")->excludes("--columns");
  command->callback(
      [=, &installation, &chosen] { chosen = [=, &installation] { return show(installation, *arguments); }; });
}

}  // namespace ngb::app
