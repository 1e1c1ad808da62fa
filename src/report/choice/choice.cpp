// SPDX-License-Identifier: Apache-2.0
#include "report/choice/choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"
#include "report/columns.h"
#include "report/write/json.h"
#include "report/write/numbers.h"
#include "report/write/text.h"
#include "report/write/text_width.h"
#include "work/codec.h"
#include "work/load.h"

namespace ngb::report {

namespace {

// Columns that the table has only if they say something.
struct OptionalColumns {
  bool disk = false;
  bool agreement = false;
  bool wanted = false;
};

Row row_of_candidate(const Candidate& candidate, const OptionalColumns& optional) {
  const store::CellData& cell = *candidate.cell;
  const Style style = candidate.fit == Fit::holds  ? Style::good
                      : candidate.fit == Fit::open ? Style::notice
                                                   : Style::plain;
  constexpr double kPercent = 100;
  Entry answered = number_entry(candidate.answered_s, candidate.why);
  if (candidate.low_s) {
    answered.tail = fmt::format(" [{}, {}]", number(*candidate.low_s, "s"),
                                candidate.high_s ? number(*candidate.high_s, "s") : "∞");
  }
  Entry busy = number_entry(candidate.utilisation_ratio, candidate.why);
  if (candidate.utilisation_ratio) busy.value = kPercent * *candidate.utilisation_ratio;
  Row row;
  row.entries = {{.value = std::string(name(candidate.fit)), .style = style},
                 {.value = cell.of.model.label},
                 {.value = cell.of.device},
                 {.value = cell.of.compiler.label + " " + cell.of.compiler.version},
                 {.value = cell.of.model.key.batch},
                 {.value = cell.of.threads_there() +
                           (cell.of.compiler.instances > 1 ? fmt::format(" × {}", cell.of.compiler.instances) : "")},
                 busy,
                 answered,
                 number_entry(candidate.memory_bytes, "unknown")};
  if (optional.disk) row.entries.push_back(number_entry(candidate.disk_bytes, "unknown"));
  if (optional.agreement) row.entries.push_back(number_entry(candidate.agreement_ratio, "exact"));
  if (optional.wanted) row.entries.push_back(number_entry(candidate.wanted, "unknown"));
  row.entries.push_back(number_entry(candidate.cpu_s_per_request, "unknown"));
  row.entries.push_back(number_entry(candidate.cost_per_hour, "unknown"));
  row.entries.push_back({.value = candidate.why});
  return row;
}

}  // namespace

std::string_view name(Fit fit) {
  constexpr std::array<std::string_view, 4> kNames{"holds", "open", "fails", "unknown"};
  return kNames.at(static_cast<std::size_t>(fit));
}

namespace {

// Returns lines that say why nothing holds: which reasons leave configurations open or unknown, and how much load they
// carry.
std::string why_nothing_holds(const std::vector<Candidate>& candidates, const Demand& demand) {
  std::map<std::pair<Fit, std::string>, int> reasons;
  double lowest_ratio = std::numeric_limits<double>::infinity();
  for (const Candidate& candidate : candidates) {
    if (candidate.fit != Fit::fails && !candidate.why.empty()) ++reasons[{candidate.fit, candidate.why}];
    lowest_ratio = std::min(lowest_ratio, candidate.utilisation_ratio.value_or(lowest_ratio));
  }
  std::string text;
  if (lowest_ratio >= 1 && lowest_ratio < std::numeric_limits<double>::infinity()) {
    text += fmt::format("no configuration answers {} requests/s: the fastest answers {}\n",
                        number(demand.requests_per_s, "1"), number(demand.requests_per_s / lowest_ratio, "1"));
  }
  for (const auto& [reason, count] : reasons) {
    text += fmt::format("{} {}: {}\n", count, name(reason.first), text::visible(reason.second));
  }
  return text;
}

}  // namespace

std::string choice_text(const std::vector<Candidate>& candidates, const Demand& demand, const ChoiceOptions& options) {
  const OptionalColumns optional{
      .disk = demand.disk_bytes.has_value(),
      .agreement = std::any_of(candidates.begin(), candidates.end(),
                               [](const Candidate& each) { return each.cell->of.model.is_variant(); }),
      .wanted = demand.by.metric != nullptr};
  Table table;
  table.columns = {text_column(""),
                   text_column("model"),
                   text_column("device", 2),
                   text_column("compiler"),
                   number_column("batch"),
                   number_column("threads", 3),
                   number_column("busy %", 4, "percent"),
                   number_column(fmt::format("p{} [95 %]", demand.percentile), 0, "s"),
                   number_column("memory", 5, "bytes")};
  if (optional.disk) table.columns.push_back(number_column("disk", 0, "bytes"));
  if (optional.agreement) table.columns.push_back(number_column("agreement", 0, "ratio"));
  if (optional.wanted) table.columns.push_back(number_column(demand.by.metric->heading, 0, demand.by.metric->unit));
  table.columns.push_back(number_column("CPU a request", 1, "s"));
  table.columns.push_back(number_column("cost an hour", demand.cost_per_hour.empty() ? 9 : 1, "1"));
  table.columns.push_back(text_column("why", 6));
  const bool has_instances = std::any_of(candidates.begin(), candidates.end(),
                                         [](const Candidate& each) { return each.cell->of.compiler.instances > 1; });
  const std::string title = has_instances ? "each instance serves one batch after the other, and all have one queue"
                                          : "one process serves, one batch after the other";
  std::map<Fit, int> counts;
  for (const Candidate& candidate : candidates) {
    ++counts[candidate.fit];
    const bool is_possible = candidate.fit == Fit::holds || candidate.fit == Fit::open;
    if (!is_possible && !options.all) continue;
    const std::string& load = candidate.cell->of.load;
    const std::string beside = load == work::kNoLoad ? title : fmt::format("{}, beside the load {}", title, load);
    if (table.sections.empty() || table.sections.back().title != beside) table.sections.push_back({.title = beside});
    table.sections.back().rows.push_back(row_of_candidate(candidate, optional));
  }
  std::string above;
  if (!table.sections.empty()) above = render(table, options.all ? 0 : options.width, options.color).text + "\n";
  std::string text = fmt::format("{} hold, {} open, {} fail, {} unknown: {} % of {} requests/s answered within {}\n",
                                 counts[Fit::holds], counts[Fit::open], counts[Fit::fails], counts[Fit::unknown],
                                 demand.percentile, number(demand.requests_per_s, "1"), number(demand.latency_s, "s"));
  if (counts[Fit::holds] == 0) text += why_nothing_holds(candidates, demand);
  return above + wrapped(text, options.wrap);
}

std::string choice_json(const std::vector<Candidate>& candidates) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Candidate& candidate : candidates) {
    nlohmann::json row = nlohmann::json::object();
    for (const Attribute& attribute : attributes()) row[attribute.name] = attribute.of(*candidate.cell);
    row["fit"] = name(candidate.fit);
    row["utilisation_ratio"] = work::write_json(candidate.utilisation_ratio);
    row["answered_s"] = work::write_json(candidate.answered_s);
    row["low_s"] = work::write_json(candidate.low_s);
    row["high_s"] = work::write_json(candidate.high_s);
    row["memory_bytes"] = work::write_json(candidate.memory_bytes);
    row["disk_bytes"] = work::write_json(candidate.disk_bytes);
    row["agreement_ratio"] = work::write_json(candidate.agreement_ratio);
    if (candidate.wanted) row["wanted"] = *candidate.wanted;
    row["cpu_s_per_request"] = work::write_json(candidate.cpu_s_per_request);
    row["cost_per_hour"] = work::write_json(candidate.cost_per_hour);
    row["why"] = candidate.why;
    rows.push_back(std::move(row));
  }
  return json_text(rows);
}

}  // namespace ngb::report
