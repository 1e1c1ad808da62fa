// SPDX-License-Identifier: Apache-2.0
#include "report/bisection.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/text.h"
#include "report/compare/outcomes.h"

namespace ngb::report {
namespace {

using metrics::Fault;
using nlohmann::json;

// Returns what the last version is if it is bad: "slower than 1.27.0 by more than 3 %".
std::string fault_words(const Bisected& bisected) {
  const std::string& baseline = bisected.versions.front();
  switch (bisected.fault) {
    case Fault::slower:
      return fmt::format("slower than {} by more than {:g} %", baseline, 100 * bisected.threshold_ratio);
    case Fault::faster:
      return fmt::format("faster than {} by more than {:g} %", baseline, 100 * bisected.threshold_ratio);
    case Fault::fails:
      return fmt::format("failing where {} works", baseline);
    case Fault::worse:
      return fmt::format("worse than {} by more than {} in {}", baseline, bisected.by.margin_in_words(),
                         bisected.by.name());
    case Fault::inaccurate:
      break;
  }
  return fmt::format("inaccurate where {} is accurate", baseline);
}

Style style_of_finding(Finding finding) {
  if (finding == Finding::bad) return Style::bad;
  return finding == Finding::good ? Style::good : Style::notice;
}

std::vector<Column> columns_of_versions() {
  return {named("version", text_column("version")),
          named("verdict", text_column("verdict")),
          ratio_column(),
          contrast_column("ratio"),
          contrast_column("difference"),
          named("processes", number_column("processes", 4)),
          named("cell", text_column("cell", 2)),
          named("reason", text_column("why", 1)),
          text_column("results", 3),
          data_column("results")};
}

Row row_of_version(const Bisected& bisected, const TriedVersion& tried) {
  const Entry verdict{.value = std::string(metrics::word_of(tried.finding, bisected.fault)),
                      .style = style_of_finding(tried.finding)};
  // Of a search by the speed, `by` is its default, which is the speed.
  const bool is_difference = bisected.by.is_by_difference();
  const Entry told = tried.contrast ? shown_contrast(*tried.contrast, bisected.by) : Entry{};
  const Entry exact = tried.contrast ? contrast_of(*tried.contrast, bisected.by) : Entry{};
  Row row{{Entry{tried.version}, verdict, told, is_difference ? Entry{} : exact, is_difference ? exact : Entry{},
           tried.processes == 0 ? Entry{} : Entry{tried.processes}, text_entry(tried.cell), Entry{tried.why},
           Entry{std::filesystem::path(tried.results).filename().string()}, text_entry(tried.results)}};
  if (tried.results.empty()) row.rest = verdict;
  return row;
}

json whole_bisection(const Bisected& bisected) {
  const auto versions_at = [&](const std::vector<std::size_t>& indices) {
    json names = json::array();
    for (const std::size_t i : indices) names.push_back(bisected.versions[i]);
    return names;
  };
  const auto threshold_of = [&](metrics::Fault fault) {
    return bisected.fault == fault ? json(bisected.threshold_ratio) : json(nullptr);
  };
  json object{{"summary", bisection_summary(bisected)},
              {"compiler", bisected.compiler},
              {"from", bisected.versions.front()},
              {"to", bisected.versions.back()},
              {"fault", std::string(name(bisected.fault))},
              {"slower_ratio", threshold_of(metrics::Fault::slower)},
              {"faster_ratio", threshold_of(metrics::Fault::faster)},
              {"metric", bisected.fault == Fault::worse ? json(bisected.by.name()) : json(nullptr)},
              {"outcome", "not_worse"},
              {"first_bad", nullptr},
              {"last_good", nullptr},
              {"undecided", json::array()},
              {"stepped_over", json::array()},
              {"versions", bisected.versions},
              {"cells", bisected.cells},
              {"cells_that_count", bisected.cells_that_count},
              {"folder", bisected.folder}};
  if (!bisected.end) {
    if (bisected.tried.back().finding == Finding::undecided) object["outcome"] = "undecided";
    return object;
  }
  object["outcome"] = bisected.end->is_certain() ? "found" : "undecided";
  object["first_bad"] = bisected.versions[bisected.end->first_bad];
  object["last_good"] = bisected.versions[bisected.end->last_good];
  object["undecided"] = versions_at(bisected.end->undecided);
  object["stepped_over"] = versions_at(bisected.end->unusable);
  return object;
}

std::vector<std::string> remarks_of_bisection(const Bisected& bisected) {
  std::vector<std::string> found;
  const auto named = [&](const std::vector<std::size_t>& indices) {
    std::vector<std::string> names;
    for (const std::size_t i : indices) names.push_back(bisected.versions[i]);
    return text::join(names, ", ");
  };
  for (const TriedVersion& tried : bisected.tried) {
    if (tried.finding != Finding::unusable) continue;
    found.push_back(fmt::format("{} was stepped over: {}", tried.version, tried.why));
  }
  if (bisected.end && !bisected.end->unusable.empty()) {
    found.push_back(fmt::format("The change may be in what was stepped over just before {} already: {}",
                                bisected.versions[bisected.end->first_bad], named(bisected.end->unusable)));
  }
  if (bisected.end && !bisected.end->undecided.empty()) {
    found.push_back(fmt::format("Undecided: {}; more rounds (`processes` in the study) may decide",
                                named(bisected.end->undecided)));
  }
  for (const TriedVersion& tried : bisected.tried) {
    const bool is_answer = bisected.end && tried.version == bisected.versions[bisected.end->first_bad];
    // The table of a narrow terminal has no room for the cell.
    if (!is_answer || tried.cell.empty() || bisected.cells < 2) continue;
    found.push_back(fmt::format("The cell that decided for {}: {}", tried.version, tried.cell));
  }
  if (bisected.end && bisected.cells_that_count < bisected.cells) {
    found.push_back(fmt::format("Counted: {} of {} cells, those in which {} {}{}", bisected.cells_that_count,
                                bisected.cells, bisected.versions.back(),
                                bisected.fault == metrics::Fault::fails ? "" : "is ",
                                metrics::word_of(Finding::bad, bisected.fault)));
  }
  const std::size_t untried = bisected.versions.size() - 1 - bisected.tried.size();
  if (untried > 0) {
    found.push_back(fmt::format("Not tried: {} of {} versions", untried, bisected.versions.size() - 1));
  }
  found.push_back(fmt::format("Each version was measured in the same rounds as {}, and judged by the rule of ngb gate",
                              bisected.versions.front()));
  found.push_back("Results: " + bisected.folder);
  return found;
}

}  // namespace

std::string bisection_summary(const Bisected& bisected) {
  const std::string words = fault_words(bisected);
  if (!bisected.end) {
    const std::string last = fmt::format("{} {}", bisected.compiler, bisected.versions.back());
    if (bisected.tried.back().finding == Finding::undecided) {
      return fmt::format("It is undecided whether {} is {}: there is nothing to search for yet", last, words);
    }
    return fmt::format("{} is not {}: there is nothing to search for", last, words);
  }
  const std::string& first_bad = bisected.versions[bisected.end->first_bad];
  if (bisected.end->is_certain()) {
    return fmt::format("{} {} is the first version that is {}", bisected.compiler, first_bad, words);
  }
  return fmt::format("{} {} is the first version that was shown to be {}; undecided between {} and {}",
                     bisected.compiler, first_bad, words, bisected.versions[bisected.end->last_good], first_bad);
}

const FormatNames& bisection_formats() {
  static const FormatNames kNames{"text", "json", "csv", "markdown"};
  return kNames;
}

Document bisection_document(const Bisected& bisected) {
  Document document{.summary = bisection_summary(bisected),
                    .table = {.columns = columns_of_versions()},
                    .remarks = remarks_of_bisection(bisected),
                    .json_rows = "tried",
                    .extra = whole_bisection(bisected)};
  Section section{.title = fmt::format("{} over {}", bisected.compiler, bisected.versions.front())};
  for (const TriedVersion& tried : bisected.tried) section.rows.push_back(row_of_version(bisected, tried));
  document.table.sections.push_back(std::move(section));
  return document;
}

}  // namespace ngb::report
