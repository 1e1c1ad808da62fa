// SPDX-License-Identifier: Apache-2.0
#include "report/tuning.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/compare/outcomes.h"
#include "report/words.h"

namespace ngb::report {
namespace {

using metrics::Tuned;
using metrics::TunedSettings;
using statistics::Verdict;

bool has_winner(const TunedSettings& one) { return one.winner.compiler.label != one.usual.compiler.label; }

bool is_confirmed(const TunedSettings& one) { return one.confirmed && one.confirmed->verdict == Verdict::faster; }

// Returns what is known of the winner: "faster", "no gain" within the margin, "slower", "undecided"; "as today" if it
// is what is used today.
std::string verdict_of(const TunedSettings& one) {
  if (one.measured == 0) return "not measured";
  if (!has_winner(one)) return "as today";
  if (!one.confirmed) return "not confirmed";
  return one.confirmed->verdict == Verdict::same ? "no gain" : std::string(name(one.confirmed->verdict));
}

Style style_of_tuned(const TunedSettings& one) {
  if (is_confirmed(one)) return Style::good;
  return one.confirmed && one.confirmed->verdict == Verdict::slower ? Style::bad : Style::notice;
}

std::string workload_of(const TunedSettings& one) {
  store::CellData cell;
  cell.of = one.winner;
  return workload_on_device(cell);
}

std::vector<Column> columns() {
  return {named("workload", text_column("workload")),
          named("usual", text_column("settings of today", 3)),
          named("winner", text_column("fastest settings")),
          named("measured", number_column("measured", 4)),
          named("settings", number_column("of", 4)),
          named("promised", number_column("search promised", 1, "ratio")),
          ratio_column(),
          contrast_column("confirmed"),
          named("verdict", text_column("verdict")),
          named("why", text_column("why", 2)),
          data_column("entry")};
}

Row row_of(const TunedSettings& one) {
  const Entry told = one.confirmed ? ratio_of(one.confirmed->contrast) : Entry{};
  return {.entries = {Entry{workload_of(one)}, Entry{one.usual.compiler.label}, Entry{one.winner.compiler.label},
                      Entry{one.measured}, Entry{one.settings}, number_entry(one.promised.value, one.promised.reason),
                      told, told, Entry{.value = verdict_of(one), .style = style_of_tuned(one)}, text_entry(one.why),
                      Entry{one.entry}}};
}

std::string summary_of(const Tuned& tuned) {
  const auto confirmed = std::ranges::count_if(tuned.all, is_confirmed);
  const auto winners = std::ranges::count_if(tuned.all, has_winner);
  if (winners == 0) return "No setting was faster than those of today";
  return fmt::format("{} of {} times the fastest settings of the search are confirmed to be faster than those of today",
                     confirmed, tuned.all.size());
}

std::vector<std::string> remarks_of(const Tuned& tuned) {
  std::vector<std::string> found;
  for (const TunedSettings& one : tuned.all) {
    if (is_confirmed(one)) found.push_back(fmt::format("In a study, of {}: - {}", workload_of(one), one.entry.dump()));
  }
  found.push_back(
      "What the search promised is of the processes that chose the winner, and so too much on average; the ratio is of "
      "fresh processes");
  if (!tuned.confirm.empty()) {
    found.push_back(fmt::format("Results: {} and {}; a program with the fastest: ngb export {} --fastest -o program",
                                tuned.search, tuned.confirm, tuned.confirm));
  } else {
    found.push_back("Results: " + tuned.search);
  }
  return found;
}

}  // namespace

const FormatNames& tuning_formats() {
  static const FormatNames kNames{"text", "json", "csv", "markdown"};
  return kNames;
}

Document tuning_document(const Tuned& tuned) {
  Document document{
      .summary = summary_of(tuned),
      .table = {.columns = columns()},
      .remarks = remarks_of(tuned),
      .json_rows = "tuned",
      .extra = {{"search", tuned.search},
                {"confirm", tuned.confirm.empty() ? nlohmann::json(nullptr) : nlohmann::json(tuned.confirm)},
                {"margin_ratio", tuned.margin_ratio}}};
  Section section{.title = "the fastest settings beside those of today"};
  for (const TunedSettings& one : tuned.all) section.rows.push_back(row_of(one));
  document.table.sections.push_back(std::move(section));
  return document;
}

}  // namespace ngb::report
