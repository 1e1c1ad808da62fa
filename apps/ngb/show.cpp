// SPDX-License-Identifier: Apache-2.0
#include "report/show/show.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>

#include "apps/ngb/command.h"
#include "apps/ngb/format_option.h"
#include "apps/ngb/results_table.h"
#include "apps/ngb/sources.h"
#include "apps/ngb/terminal.h"
#include "base/processors.h"
#include "metrics/derive.h"
#include "metrics/families.h"
#include "metrics/outcome.h"
#include "metrics/series/derive_series.h"
#include "paper/claims.h"
#include "report/series/series.h"
#include "report/show/text_table.h"
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
  std::string baseline;                                    // "": that of the study
  std::string columns;                                     // "": the usual ones
  std::map<std::string, std::vector<std::string>> wanted;  // by the name of the filter
};

report::ShowOptions options_for_terminal(const ShowArguments& arguments, const metrics::Heading& heading,
                                         std::vector<report::NumberColumn> columns) {
  const OutputShape shape = shape_of_stdout();
  return {.columns = std::move(columns),
          .all = arguments.all,
          .notes = arguments.notes || arguments.all,
          .best = arguments.best || heading.asks_best_options,
          .width = shape.width,
          .wrap = shape.wrap,
          .color = shape.has_color};
}

// For more cells than this the answer takes seconds. It is then left out; `ngb show --findings` prints it.
constexpr std::size_t kMostCellsWithAnAnswer = 5000;

// Prints the answer and an empty line, if there is one.
void print_answer(const report::Results& results) {
  const std::string answer = report::answer_text(results);
  if (!answer.empty()) print_table_text(report::wrapped(answer, shape_of_stdout().wrap) + '\n');
}

// Prints the table of results whose cells do not fit into memory together.
Status print_table_of_families(metrics::FamilyReader& reader, const std::vector<store::ValueFamily>& families,
                               const report::CellFilter& filter, const report::ShowOptions& options) {
  const metrics::Heading& heading = reader.heading();
  report::TextTable table(options, heading.baseline);
  std::mutex mutex;
  const Status done = report::each_family(reader, families, table.needed_metrics(), filter, options.best,
                                          [&](const report::FamilyResults& family) {
                                            report::TextTable part(options, heading.baseline);
                                            part.add(family.results, family.positions);
                                            const std::scoped_lock lock(mutex);
                                            table.append(std::move(part));
                                          });
  if (!done) return done;
  table.print(report::environment_differences(heading.environments, table.devices()), heading.allocator,
              print_table_text);
  return Done{};
}

// Uses parts that several threads make, one after the other in the order of their numbers: 0, 1, …
template <class Part>
class InOrder {
 public:
  explicit InOrder(std::function<void(const Part& part)> use) : use_(std::move(use)) {}

  void add(std::size_t number, Part part) {
    const std::scoped_lock lock(mutex_);
    waiting_.emplace(number, std::move(part));
    for (; !waiting_.empty() && waiting_.begin()->first == next_; ++next_) {
      use_(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
    }
  }

 private:
  std::function<void(const Part& part)> use_;
  std::mutex mutex_{};
  std::map<std::size_t, Part> waiting_{};
  std::size_t next_ = 0;
};

// Uses what `make` returns of each family's results, in the order of the families.
template <class Make, class Use>
Status each_in_order(metrics::FamilyReader& reader, const std::vector<store::ValueFamily>& families,
                     const report::CellFilter& filter, const Make& make, const Use& use) {
  InOrder<std::invoke_result_t<Make, const report::Results&>> printer(use);
  return report::each_family(
      reader, families, metrics::all_metrics(), filter, /*with_best_options=*/false,
      [&](const report::FamilyResults& family) { printer.add(family.number, make(family.results)); });
}

// Prints the JSON of the cells, family by family.
Status print_json_of_families(metrics::FamilyReader& reader, const std::vector<store::ValueFamily>& families,
                              const report::CellFilter& filter) {
  const metrics::Heading& heading = reader.heading();
  const std::vector<store::DerivedValue> none;
  report::Results whole{
      .numbers = metrics::Numbers(none), .baseline = heading.baseline, .allocator = heading.allocator};
  std::set<std::string> devices;
  for (const store::ValueFamily& family : families) devices.insert(family.device);
  whole.differences = report::environment_differences(heading.environments, devices);
  Status done;
  const auto each_cell = [&](const report::UseJson& use) {
    done = each_in_order(reader, families, filter, report::cells_json,
                         [&use](const auto& cells) { std::for_each(cells.begin(), cells.end(), use); });
  };
  report::show_json(whole, each_cell, print_table_text);
  return done;
}

// Shows results whose cells do not fit into memory together.
int show_family_by_family(metrics::FamilyReader& reader, const ShowArguments& arguments, const report::Format& format,
                          const std::vector<report::NumberColumn>& columns) {
  report::CellFilter filter(arguments.wanted);
  const auto chosen = report::passing_families(reader, filter);
  if (!chosen) return report_failure(chosen.error(), kCannotGoOn);
  if (const Status known = filter.check(); !known) return report_failure(known.error(), kWrongUsage);
  const report::ShowOptions options = options_for_terminal(arguments, reader.heading(), columns);
  if (format.is("csv")) print_table_text(report::show_csv_header());
  const Status done = format.is("csv")
                          ? each_in_order(reader, chosen->families, filter, report::show_csv_lines, print_table_text)
                      : format.is("json") ? print_json_of_families(reader, chosen->families, filter)
                                          : print_table_of_families(reader, chosen->families, filter, options);
  if (!done) return report_failure(done.error(), kCannotGoOn);
  return kSuccess;
}

int show(const ShowArguments& arguments) {
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
      *sources, arguments.baseline.empty() ? std::nullopt : std::optional(arguments.baseline));
  if (has_code(reader, ErrorCode::not_found)) return report_failure(reader.error(), kWrongUsage);
  if (!reader) return report_failure(reader.error(), kCannotGoOn);
  const bool comes_in_parts = !arguments.series && !arguments.findings && !(*format)->is("markdown");
  if (comes_in_parts && reader->cell_count() > metrics::kMostCellsInMemory) {
    return show_family_by_family(*reader, arguments, **format, columns);
  }
  auto derived = metrics::derive(*std::move(reader), processor_count());
  if (!derived) return report_failure(derived.error(), kCannotGoOn);
  auto results = report::passing_results(derived->cells, derived->values, arguments.wanted, derived->baseline);
  if (!results) return report_failure(results.error(), kWrongUsage);
  report::add_differences(*results, derived->environments);
  results->allocator = derived->allocator;
  const report::ShowOptions options = options_for_terminal(arguments, *derived, columns);
  const bool is_table = !arguments.series && !arguments.findings;
  const bool is_of_all = std::all_of(arguments.wanted.begin(), arguments.wanted.end(),
                                     [](const auto& filter) { return filter.second.empty(); });
  const bool has_answer = is_table && columns.empty() && (*format)->is("text") && is_of_all &&
                          derived->cells.size() <= kMostCellsWithAnAnswer;
  Result<metrics::series::DerivedSeries> series;
  if (!is_table || (*format)->is("json") || has_answer) {
    series = metrics::series::derive_series(*sources, *derived, paper::claims().rows, processor_count());
    if (!series) return report_failure(series.error(), kCannotGoOn);
    report::add_series(*results, series->parts);
  }
  if (has_answer) print_answer(*results);
  if (is_table) {
    report::show(**format, *results, options, print_table_text);
  } else {
    print_table_text(arguments.series ? report::series_text(*results, options)
                                      : report::findings_text(*results, options, paper::claims().of));
  }
  return kSuccess;
}

}  // namespace

int print_table(const std::filesystem::path& results_folder, const FormatArguments& format) {
  ShowArguments arguments;
  arguments.format = format;
  arguments.results.folders = {results_folder.string()};
  return show(arguments);
}

void add_show(CLI::App& app, const Installation& /*installation*/, Action& chosen) {
  const auto arguments = std::make_shared<ShowArguments>();
  CLI::App* command = app.add_subcommand("show", "Print results as a table, or in another format");
  constexpr int kMostFolders = 1000;
  add_source_options(*command, arguments->results, "Results folders, which are read as one", 1, kMostFolders);
  add_filter_options(*command, arguments->wanted);
  command->add_option("--baseline", arguments->baseline,
                      "The compiler to which speed-ups refer: NAME, NAME@VERSION, or its label in the study (default: "
                      "the study's baseline)");
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
  add_format_option(
      *command, arguments->format, report::show_formats(),
      "A filter may be repeated: a cell is shown if one of its words fits.\n\n"
      "Examples:\n  ngb show results/quickstart\n"
      "  ngb show results/quickstart --format csv --compiler openvino --batch 1 > openvino.csv\n"
      "  ngb show results/versions --baseline onnxruntime@1.30.0\n"
      "  ngb show results/quickstart --findings\n"
      "  ngb show results/int8 --columns size,agreement,latency\n"
      "  ngb show results/xeon results/laptop --as results/xeon:local=xeon --as results/laptop:local=laptop");
  for (CLI::Option* option : {series, findings}) option->excludes("--format")->excludes("--json")->excludes("--best");
  series->excludes(findings);
  command->callback([=, &chosen] { chosen = [=] { return show(*arguments); }; });
}

}  // namespace ngb::app
