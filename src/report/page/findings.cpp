// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "base/text.h"
#include "metrics/metric.h"
#include "metrics/outcome.h"
#include "report/columns.h"
#include "report/page/html.h"
#include "report/page/page_parts.h"
#include "report/words.h"
#include "report/write/text_width.h"

namespace ngb::report::page {
namespace {

using store::CellData;

constexpr int kMostOfAHeading = 200;  // characters; a failure may have a library's whole report

std::string cell_name(const Labels& labels, const CellData& cell) {
  return fmt::format("{}, {}, batch {}, on {}", labels.compiler(cell), text::visible(cell.of.model.label),
                     cell.of.model.key.batch, labels.device(cell));
}

// A reason for which several cells are listed together.
struct Group {
  std::string heading{};  // HTML
  std::vector<std::string> cells{};
};

std::string group_html(const Group& group) {
  std::string cells;
  for (const std::string& cell : group.cells) cells += fmt::format("<li>{}</li>", escaped(cell));
  return fmt::format("<li>{} <details><summary>{}</summary>{}</details></li>\n", group.heading,
                     counted(group.cells.size(), "cell"), packed_if_large("<ul>" + cells + "</ul>"));
}

std::string rows_html(const SpanningTable& table) {
  std::string html = table.rows.empty() ? "" : html_table(table.title, table.columns, table.rows);
  if (!table.remark.empty()) html += fmt::format("<p>{}</p>\n", prose(table.remark));
  return html;
}

std::string folded_html(const std::string& summary, const SpanningTable& table) {
  return fmt::format("<details><summary>{} {} {}</summary>{}</details>", escaped(summary), table.rows.size(),
                     table.rows.size() == 1 ? "row" : "rows", rows_html(table));
}

std::string sentences_html(const std::vector<Sentence>& sentences) {
  std::string html;
  for (const Sentence& sentence : sentences) {
    html += fmt::format("<li>{}{}</li>\n", prose(sentence.text),
                        sentence.rows.rows.empty() ? "" : " " + folded_html("", sentence.rows));
  }
  return html;
}

// Describes the cells that the machine's other work kept from having a speed.
std::string disturbed_html(const Results& results, const Labels& labels) {
  Group group;
  for (const CellData* cell : results.cells) {
    if (status_of(*cell) != Status::disturbed) continue;
    const std::string& advice = metrics::decisive_failure(*cell)->failure->advice;
    group.heading = "<b>disturbed</b> Other work kept these from a processor, so they have no speed." +
                    (advice.empty() ? "" : fmt::format(" To do: {}.", prose(advice)));
    group.cells.push_back(fmt::format("{}: {}", cell_name(labels, *cell), why_no_numbers(*cell)));
  }
  return group.cells.empty() ? "" : group_html(group);
}

// Returns what is to be said of a cell that has the flag, behind its name: the value, or whose outputs were compared.
std::string detail(const metrics::Flag& flag, const CellData& cell, double value) {
  if (flag.shows_value) return fmt::format(": {:.3g}", value);
  const std::string_view name = flag.name;
  const std::vector<std::string> remarks = cell_remarks(cell);
  const bool is_of_check = name == "other_reference" || name == "unchecked";
  return is_of_check && !remarks.empty() ? ": " + remarks.front() : "";
}

// Groups the failures by compiler, kind and phase. A heading has the message of the first cell of its group.
std::string failure_groups_html(const Results& results, const Labels& labels) {
  std::map<std::tuple<std::string, std::string_view, std::string_view>, Group> groups;
  for (const CellData* cell : results.cells) {
    if (status_of(*cell) != Status::failed) continue;
    const samples::Failure& failure = *metrics::decisive_failure(*cell)->failure;
    const std::string compiler = labels.compiler(*cell);
    Group& group = groups[{compiler, name(failure.kind), name(failure.phase)}];
    if (group.cells.empty()) {
      group.heading =
          fmt::format("<b>{}</b> {}", escaped(compiler), prose(shortened(why_no_numbers(*cell), kMostOfAHeading)));
      if (!failure.advice.empty()) group.heading += fmt::format(". To do: {}", prose(failure.advice));
    }
    group.cells.push_back(fmt::format("{}: {}", cell_name(labels, *cell), failure.first_line()));
  }
  std::string html;
  for (const auto& [key, group] : groups) html += group_html(group);
  return html;
}

// Returns a line for each flag that is raised: those that cast doubt on numbers, or the others.
std::string flag_groups_html(const Results& results, const Labels& labels, bool casts_doubt) {
  std::string html;
  for (const metrics::Flag& flag : metrics::flag_table()) {
    if (flag.casts_doubt() != casts_doubt) continue;
    std::vector<std::string> cells;
    for (const CellData* cell : results.cells) {
      for (const metrics::RaisedFlag& raised : results.numbers.flags(*cell)) {
        if (raised.flag == &flag) cells.push_back(cell_name(labels, *cell) + detail(flag, *cell, raised.value));
      }
    }
    if (cells.empty()) continue;
    const Group group{fmt::format("<a class=\"flag\" href=\"#flag-{0}\">{0}</a> {1} of {2} cells: {3}",
                                  escaped(flag.name), cells.size(), results.cells.size(), prose(flag.meaning)),
                      std::move(cells)};
    html += group_html(group);
  }
  return html;
}

std::string remarks_html(const Results& results) {
  std::vector<std::string> remarks = environment_remarks(results.differences);
  if (!results.cells.empty() && results.cells.front()->rounds) {
    remarks.push_back(rounds_remark(*results.cells.front()->rounds));
  }
  if (results.allocator.empty()) remarks.emplace_back("allocator: default");
  return html_items(remarks);
}

// Returns what the results were measured on and when: "local: AMD EPYC, 1 thread; 2026-11-29".
std::string words_of_machines(const Content& content) {
  constexpr std::size_t kMostNamed = 3;
  std::map<std::string, std::set<std::string>> processors;  // by device
  for (const store::MeasuredEnvironment& each : *content.environments) {
    for (const samples::EnvironmentEntry& entry : each.environment.entries) {
      const bool is_named = entry.name == "cpu_model" || entry.name == "gpu";
      if (is_named && entry.value.value) processors[each.device].insert(text::visible(*entry.value.value));
    }
  }
  std::vector<std::string> machines;
  for (const auto& [device, names] : processors) {
    const std::vector<std::string> all(names.begin(), names.end());
    if (machines.size() < kMostNamed) machines.push_back(text::visible(device) + ": " + text::join(all, ", "));
  }
  if (processors.size() > kMostNamed)
    machines.push_back(fmt::format("{} more devices", processors.size() - kMostNamed));
  std::set<std::string> threads;
  for (const CellData* cell : content.results->cells) threads.insert(threads_of(*cell));
  const std::vector<std::string> each_threads(threads.begin(), threads.end());
  std::vector<std::string> words{text::join(machines, "; "), text::join(each_threads, ", "), content.day};
  std::erase(words, "");
  return text::join(words, " · ");
}

// Says which model is the best for the study's goal: a sentence and a table for each place.
std::string answer_about_models(const Document& models) {
  std::string html = "<ul>" + html_items(text::split(models.summary, '\n')) + "</ul>\n";
  for (const Section& section : models.table.sections) html += document_table(models, section);
  return html + "<ul>" + html_items(models.remarks) + "</ul>\n";
}

}  // namespace

std::string summary(const Content& content) {
  std::array<std::size_t, 5> counts{};  // by Status
  std::set<std::string> devices;
  std::set<std::string> models;
  std::set<std::string> compilers;
  std::set<std::string> batches;
  for (const CellData* cell : content.results->cells) {
    ++counts.at(static_cast<std::size_t>(status_of(*cell)));
    devices.insert(cell->of.device);
    models.insert(cell->of.model.label);
    compilers.insert(compiler_of(*cell));
    batches.insert(std::to_string(cell->of.model.key.batch));
  }
  const std::size_t cells = content.results->cells.size();
  std::string html = fmt::format("<p class=\"machines\">{}</p>\n<p>{}, {}, {}, {}. {}: {} measured",
                                 escaped(words_of_machines(content)), counted(devices.size(), "device"),
                                 counted(models.size(), "model"), counted(compilers.size(), "compiler"),
                                 counted(batches.size(), "batch size"), counted(cells, "cell"),
                                 counts[static_cast<std::size_t>(Status::measured)]);
  const auto add = [&](Status status, const char* words) {
    const std::size_t count = counts.at(static_cast<std::size_t>(status));
    if (count > 0) html += fmt::format(", {} {}", count, words);
  };
  add(Status::partial, "in part");
  add(Status::failed, "failed");
  add(Status::disturbed, "disturbed");
  add(Status::planned, "not measured yet");
  html += ".</p>\n";
  if (!content.folded.empty()) html += fmt::format("<p><strong>{}.</strong></p>\n", prose(content.folded));
  return html;
}

std::string answer(const Content& content) {
  constexpr std::size_t kMostOpenRows = 12;
  const std::string about_models = content.models ? answer_about_models(*content.models) : std::string();
  std::string html = html_items(content.answer);
  html = html.empty() ? "<p>There is nothing to compare yet.</p>\n" : "<ul>" + html + "</ul>\n";
  if (!content.fastest.rows.empty()) {
    html += content.fastest.rows.size() <= kMostOpenRows ? rows_html(content.fastest)
                                                         : folded_html(content.fastest.title + ":", content.fastest);
  }
  if (content.asks_models || about_models.empty()) return about_models + html;
  return html + "<details><summary>Which model is the fastest</summary>" + about_models + "</details>\n";
}

std::string doubts(const Content& content, const Labels& labels) {
  const Results& results = *content.results;
  const std::string doubts =
      failure_groups_html(results, labels) + disturbed_html(results, labels) + flag_groups_html(results, labels, true);
  std::string html =
      "<section id=\"doubts\" aria-labelledby=\"doubts-heading\"><h2 id=\"doubts-heading\">What to distrust</h2>\n";
  const std::string notes = flag_groups_html(results, labels, false);
  if (doubts.empty() && notes.empty() && content.profiles != nullptr) return {};  // profiles have doubts of their own
  html += !doubts.empty() ? "<ul>" + doubts + "</ul>\n"
          : content.profiles != nullptr
              ? "<p>No cell has a flag that casts doubt on it. What the profiles do not explain is above.</p>\n"
              : "<p>Nothing: every cell has a result, and none has a flag that casts doubt on it.</p>\n";
  if (!notes.empty()) html += "<details><summary>Other notes</summary><ul>" + notes + "</ul></details>\n";
  return html + "</section>\n";
}

Part findings(const Content& content) {
  const std::string information = sentences_html(content.findings) + remarks_html(*content.results);
  std::string html = information.empty() ? "<p>No difference in these results is certain enough to be stated.</p>\n"
                                         : "<ul>" + information + "</ul>\n";
  std::string conclusions;
  for (const SpanningTable& table : content.conclusions) conclusions += rows_html(table);
  if (!content.unmeasured.rows.empty()) {
    conclusions += fmt::format("<details><summary>{} {}</summary>{}</details>\n", content.unmeasured.rows.size(),
                               escaped(content.unmeasured.title), rows_html(content.unmeasured));
  }
  return {"findings", "Findings", counted(content.findings.size(), "sentence"), html + conclusions};
}

Part spanning_tables(const Content& content) {
  std::string html =
      "<p>Numbers of groups of models, of stacks of blocks and of all settings of a workload, as <code>ngb show "
      "--series</code> prints them.</p>\n";
  for (const SpanningTable& table : content.tables) html += folded_html(table.title + ":", table) + '\n';
  return {"across", "Across cells", counted(content.tables.size(), "table"), content.tables.empty() ? "" : html};
}

}  // namespace ngb::report::page
