// SPDX-License-Identifier: Apache-2.0
// ngb history: shows cells over time, where they changed, and what else did.
#include "report/history/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "apps/ngb/bundle_sources.h"
#include "apps/ngb/command.h"
#include "apps/ngb/format_option.h"
#include "apps/ngb/terminal.h"
#include "apps/revision/revision.h"
#include "base/file.h"
#include "base/process.h"
#include "base/processors.h"
#include "base/text.h"
#include "metrics/history/changes.h"
#include "report/page/page.h"
#include "report/results.h"

namespace ngb::app {
namespace {

namespace history = metrics::history;

constexpr const char* kHistoryExamples =
    "Examples:\n  ngb history results/nightly-*\n"
    "  ngb history results/versions --by version --compiler onnxruntime\n"
    "  ngb history results/nightly-* --metric timed_peak_bytes:5% -o memory.html\n"
    "  ngb history bundles/*.zip --points --format csv > points.csv\n"
    "  ngb history history/* --by commit";

struct HistoryArguments {
  SourcesArguments results;
  FormatArguments format;
  std::string order = "date";
  std::string metric = "throughput_per_s";
  bool across_protocols = false;
  bool points = false;
  std::string page;
  std::map<std::string, std::vector<std::string>> wanted;  // by the name of the filter
};

// Returns the rank of each of the results among the commits of the repository of the working folder.
Result<std::vector<std::size_t>> ranks_of_commits(const std::vector<std::string>& results) {
  constexpr std::size_t kFewestDigits = 7;
  std::vector<std::string> commits;
  for (const std::string& each : results) {
    commits.push_back(history::commit_of(each));
    const bool is_hash = commits.back().find_first_not_of("0123456789abcdef") == std::string::npos;
    if (is_hash && commits.back().size() >= kFewestDigits) continue;
    return fail(fmt::format("{} is not called after a commit", each), "--by commit",
                "name each folder or bundle by seven or more digits of its commit, or use --by date");
  }
  std::vector<std::size_t> ranks(results.size(), 0);
  std::size_t rank = 0;
  const auto listed = process::run({.arguments = {"git", "rev-list", "--topo-order", "--reverse", "--all", "HEAD"}},
                                   [&](std::string_view line) {
                                     ++rank;
                                     for (std::size_t i = 0; i < commits.size(); ++i) {
                                       if (line.starts_with(commits[i])) ranks[i] = rank;
                                     }
                                   });
  if (!listed) return error_of(listed);
  const auto unknown = std::ranges::find(ranks, 0U);
  if (unknown == ranks.end()) return ranks;
  return fail(fmt::format("git knows no commit {} here", commits[static_cast<std::size_t>(unknown - ranks.begin())]),
              "--by commit", "type the command in the repository that has the commits, or use --by date");
}

struct Asked {
  history::Order order = history::Order::date;
  metrics::Judged by{};
  const report::Format* format = nullptr;
};

Result<Asked> asked_by(const HistoryArguments& arguments) {
  Asked asked;
  const auto format = arguments.format.among(report::history_formats());
  if (!format) return error_of(format);
  asked.format = *format;
  const auto order = history::parse_order(arguments.order);
  if (!order) return error_of(order);
  asked.order = *order;
  const auto by = metrics::parse_judged(arguments.metric, statistics::VerdictRules().margin_ratio);
  if (!by) return error_of(by);
  asked.by = *by;
  return asked;
}

tl::unexpected<ExitCode> refuse_history(const Error& error, ExitCode code) {
  report_failure(error, code);
  return tl::unexpected(code);
}

// Reads one results folder after the other. On failure prints the reason and returns the exit code.
tl::expected<history::History, ExitCode> read_history(const HistoryArguments& arguments, const Asked& asked,
                                                      const SourcesArguments& opened,
                                                      const std::vector<std::size_t>& ranks) {
  const auto sources = sources_of(opened);
  if (!sources) return refuse_history(sources.error(), kWrongUsage);
  report::CellFilter filter(arguments.wanted);
  history::Collector collector(asked.order, asked.by);
  for (std::size_t i = 0; i < sources->size(); ++i) {
    auto reader = metrics::FamilyReader::open({(*sources)[i]});
    if (!reader) return refuse_history(reader.error(), kCannotGoOn);
    const auto passing = report::passing_families(*reader, filter);
    if (!passing) return refuse_history(passing.error(), kCannotGoOn);
    const Status added = collector.add(
        {.name = arguments.results.folders[i], .rank = ranks.empty() ? 0 : ranks[i]}, *reader, passing->families,
        [&filter](const store::CellData& cell) { return filter.lets_through(cell); }, arguments.across_protocols);
    if (!added) return refuse_history(added.error(), kCannotGoOn);
  }
  if (const Status known = filter.check(); !known) return refuse_history(known.error(), kWrongUsage);
  return std::move(collector).finish();
}

void print_history(const report::ShownHistory& shown, const HistoryArguments& arguments, const Asked& asked) {
  const OutputShape shape = shape_of_stdout();
  const report::Document document = asked.format->is("otava") ? report::results_document(shown)
                                    : arguments.points        ? report::points_document(shown)
                                                              : report::history_document(shown);
  asked.format->print(document, {.width = shape.width, .wrap = shape.wrap, .color = shape.has_color}, print_table_text);
}

// Returns "results/monday … results/friday".
std::string title_of(const std::vector<std::string>& results) {
  return results.size() == 1 ? results.front() : fmt::format("{} … {}", results.front(), results.back());
}

int show_history(const HistoryArguments& arguments) {
  const auto asked = asked_by(arguments);
  if (!asked) return report_failure(asked.error(), kWrongUsage);
  std::vector<std::size_t> ranks;
  if (asked->order == history::Order::commit) {
    auto found = ranks_of_commits(arguments.results.folders);
    if (!found) return report_failure(found.error(), kWrongUsage);
    ranks = *std::move(found);
  }
  const auto opened = open_bundles(arguments.results);
  if (!opened) return report_failure(opened.error(), kCannotGoOn);
  const auto read = read_history(arguments, *asked, opened->results, ranks);
  if (!read) return read.error();
  const std::vector<history::Findings> findings = history::findings_of(*read, {}, processor_count());
  const report::ShownHistory shown{&*read, &findings};
  print_history(shown, arguments, *asked);
  if (arguments.page.empty()) return kSuccess;
  const std::string html =
      report::page::history_html(shown, title_of(arguments.results.folders), describe(this_revision()));
  if (const Status written = file::write_atomically(arguments.page, html); !written) {
    return report_failure(written.error(), kCannotGoOn);
  }
  warn("Page: {} ({})\n", arguments.page, text::human_bytes(html.size()));
  return kSuccess;
}

}  // namespace

void add_history(CLI::App& app, const Installation& /*installation*/, Action& chosen) {
  const auto arguments = std::make_shared<HistoryArguments>();
  CLI::App* command = app.add_subcommand("history", "Show cells over time: where they changed, and what else did");
  constexpr int kMostFolders = 1000;
  add_source_options(*command, arguments->results, "Results folders and bundles, each a point of the history", 1,
                     kMostFolders);
  add_filter_options(*command, arguments->wanted);
  command->add_option("--by", arguments->order,
                      "The order of the points: date, version (of the compiler), commit (after which the folders are "
                      "called, in git's order), label (of the compiler, as given) (default: date)");
  command->add_option("--metric", arguments->metric,
                      "The metric: throughput_per_s, timed_peak_bytes, compile_total_s, …; NAME:5% is the same within "
                      "5 % (default: throughput_per_s:3%)");
  command->add_flag("--across-protocols", arguments->across_protocols,
                    "Read results together even if they were measured under different protocols");
  command->add_flag("--points", arguments->points, "A row for each point in place of one for each cell");
  command->add_option("-o,--output", arguments->page, "Also write this file: one HTML page with a figure of each cell");
  add_format_option(*command, arguments->format, report::history_formats(), kHistoryExamples);
  command->callback([=, &chosen] { chosen = [=] { return show_history(*arguments); }; });
}

}  // namespace ngb::app
