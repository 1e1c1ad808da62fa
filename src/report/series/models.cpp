// SPDX-License-Identifier: Apache-2.0
#include "report/series/models.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "base/text.h"
#include "metrics/axis.h"
#include "metrics/numbers.h"
#include "metrics/series/fastest.h"
#include "metrics/series/workload.h"
#include "report/columns.h"
#include "report/compare/outcomes.h"

namespace ngb::report {
namespace {

using metrics::Number;
using metrics::series::Race;
using metrics::series::Rival;
using store::CellData;

// How a model compares with the others at one place.
struct Standing {
  std::string verdict{};  // "best", "may be the best", "out", "alone", "not allowed"
  std::optional<std::size_t> cell{};
  const statistics::Contrast* behind = nullptr;  // how much better the leader is; null: it is the leader
  std::string why{};
};

class ModelTable {
 public:
  ModelTable(const metrics::Derived& derived, const std::vector<Bound>& bounds)
      : derived_(derived),
        bounds_(bounds),
        numbers_(derived.values),
        analysis_(pointers_to(derived.cells), derived.baseline, pointers_to(derived.steady)),
        races_(metrics::series::races_of_models(analysis_, derived.by, allowed())) {}

  [[nodiscard]] Document document() const {
    const std::string metric = derived_.by.name();
    Document document{.summary = summary(),
                      .table = {.columns = columns()},
                      .remarks = remarks(),
                      .json_rows = "models",
                      .extra = {{"metric", metric}}};
    std::map<std::string, std::size_t> sections;
    for (const std::vector<std::size_t>& cells : cells_of_models()) {
      const CellData& first = derived_.cells[cells.front()];
      const auto [section, is_new] = sections.emplace(metrics::series::place_of(first), document.table.sections.size());
      if (is_new) document.table.sections.push_back({.title = "on " + metrics::series::name_of_place(first)});
      document.table.sections[section->second].rows.push_back(row_of(first, standing_of(cells)));
    }
    return document;
  }

 private:
  template <class Item>
  static std::vector<const Item*> pointers_to(const std::vector<Item>& items) {
    std::vector<const Item*> all;
    for (const Item& item : items) all.push_back(&item);
    return all;
  }

  // Returns why a cell is not chosen: "throughput_per_s is 150, and at least 200 is asked"; "" if it may be.
  [[nodiscard]] std::string refusal_of(const CellData& cell) const {
    for (const Bound& bound : bounds_) {
      const Number number = numbers_.of(cell, bound.metric->name);
      const bool is_kept =
          number.value && (bound.is_least ? *number.value >= bound.value : *number.value <= bound.value);
      if (is_kept) continue;
      if (!number.value) return fmt::format("{} is unknown: {}", bound.metric->name, number.reason);
      return fmt::format("{} is {:.4g}, and {} {:g} is asked", bound.metric->name, *number.value,
                         bound.is_least ? "at least" : "at most", bound.value);
    }
    return "";
  }
  [[nodiscard]] std::vector<bool> allowed() const {
    std::vector<bool> each;
    for (const CellData& cell : derived_.cells) each.push_back(refusal_of(cell).empty());
    return each;
  }

  // Returns the cells of each model at each place and batch size, in the order of the study.
  [[nodiscard]] std::vector<std::vector<std::size_t>> cells_of_models() const {
    std::map<std::string, std::size_t> known;
    std::vector<std::vector<std::size_t>> all;
    for (std::size_t i = 0; i < derived_.cells.size(); ++i) {
      const auto [found, is_new] = known.emplace(metrics::series::key_of_workload(derived_.cells[i]), all.size());
      if (is_new) all.emplace_back();
      all[found->second].push_back(i);
    }
    return all;
  }

  [[nodiscard]] Standing standing_of(const std::vector<std::size_t>& cells) const {
    const auto is_of_model = [&](std::size_t cell) { return std::ranges::find(cells, cell) != cells.end(); };
    for (const Race& race : races_) {
      if (is_of_model(race.leader)) return {race.is_won() ? "best" : "may be the best", race.leader, nullptr, {}};
      const auto rival = std::ranges::find_if(race.rivals, is_of_model, &Rival::cell);
      if (rival == race.rivals.end()) continue;
      return {rival->is_slower() ? "out" : "may be the best", rival->cell, &rival->judgement.contrast,
              rival->judgement.reason};
    }
    return standing_without_race(cells);
  }

  // Of a model that no other one is compared with, or that is in no comparison.
  [[nodiscard]] Standing standing_without_race(const std::vector<std::size_t>& cells) const {
    std::string why;
    for (const std::size_t cell : cells) {
      const std::string refusal = refusal_of(derived_.cells[cell]);
      const std::string& no_value = derived_.steady[cell].reason;
      if (refusal.empty() && no_value.empty()) return {"alone", cell, nullptr, "no other model keeps what is asked"};
      if (why.empty()) why = no_value.empty() ? refusal : no_value;
    }
    return {"not allowed", std::nullopt, nullptr, why};
  }

  [[nodiscard]] std::vector<Column> columns() const {
    Column value = named("value", number_column(fmt::format("{} [95 %]", heading_of_metric()), 0, unit_of_metric()));
    value.has_interval = true;
    Column behind =
        named("beside_the_best",
              number_column("beside the best [95 %]", 0, derived_.by.is_by_difference() ? unit_of_metric() : "ratio"));
    behind.has_interval = true;
    return {named("model", text_column("model")),
            named("batch", number_column("batch")),
            named("parameters", number_column("parameters", 4)),
            named("macs", number_column("multiply-adds", 4)),
            named("compiler", text_column("best with")),
            std::move(value),
            std::move(behind),
            named("verdict", text_column("verdict")),
            named("why", text_column("why", 2)),
            data_column("device"),
            data_column("load"),
            data_column("cell_id")};
  }
  [[nodiscard]] const metrics::Metric& metric() const {
    return derived_.by.metric != nullptr ? *derived_.by.metric : *metrics::find_metric(derived_.by.name());
  }
  [[nodiscard]] std::string heading_of_metric() const { return metric().heading; }
  [[nodiscard]] std::string unit_of_metric() const { return metric().unit; }

  // Returns the metric over that of the best model; of one that is judged by a difference, the difference.
  [[nodiscard]] Entry behind_of(const Standing& standing) const {
    if (standing.behind == nullptr) return {};
    statistics::Contrast turned = *standing.behind;
    turned.estimate = -turned.estimate;
    if (turned.interval) turned.interval = {-standing.behind->interval->high, -standing.behind->interval->low};
    return contrast_of(turned, derived_.by);
  }

  [[nodiscard]] Row row_of(const CellData& model, const Standing& standing) const {
    const auto& of = model.of.model;
    const auto count = [](const std::optional<std::uint64_t>& number) {
      return number ? Entry{*number} : empty_entry("it is known of recipes only");
    };
    const CellData* const cell = standing.cell ? &derived_.cells[*standing.cell] : nullptr;
    const Style style = standing.verdict == "best"  ? Style::good
                        : standing.verdict == "out" ? Style::bad
                                                    : Style::plain;
    return {.entries = {Entry{of.label}, Entry{of.key.batch}, count(of.parameters), count(of.macs),
                        cell == nullptr ? Entry{} : Entry{metrics::compiler_of(*cell)},
                        cell == nullptr ? empty_entry(standing.why) : entry_of(numbers_.of(*cell, derived_.by.name())),
                        behind_of(standing), Entry{.value = standing.verdict, .style = style}, text_entry(standing.why),
                        Entry{model.of.device}, Entry{model.of.load},
                        cell == nullptr ? Entry{} : Entry{cell->cell_id}}};
  }

  [[nodiscard]] std::string summary() const {
    std::vector<std::string> told;
    for (const Race& race : races_) {
      std::vector<std::string> names;
      for (const std::size_t cell : race.candidates()) names.push_back(analysis_.cell(cell).of.model.label);
      const CellData& leader = analysis_.cell(race.leader);
      told.push_back(fmt::format("{} {} at batch {} on {} by {}", text::join(names, ", "),
                                 names.size() == 1 ? "is the best model" : "may be the best model",
                                 leader.of.model.key.batch, metrics::series::name_of_place(leader),
                                 derived_.by.name()));
    }
    return told.empty() ? "No two models can be compared" : text::join(told, "\n");
  }

  [[nodiscard]] std::vector<std::string> remarks() const {
    std::vector<std::string> all{
        "Of each model the best setting stands; as each could have been it, and each model the best, the verdicts "
        "leave out the best model in at most 5 % of such tables (multiple comparisons with the best)"};
    for (const Bound& bound : bounds_) {
      all.push_back(fmt::format("Asked: {} of {} {:g}", bound.metric->name, bound.is_least ? "at least" : "at most",
                                bound.value));
    }
    return all;
  }

  const metrics::Derived& derived_;
  const std::vector<Bound>& bounds_;
  metrics::Numbers numbers_;
  metrics::Analysis analysis_;
  std::vector<Race> races_;
};

}  // namespace

Result<Bound> parse_bound(const std::string& given, bool is_least) {
  const std::size_t equals = given.find('=');
  const std::string name = given.substr(0, equals);
  const metrics::Metric* const metric = metrics::find_metric(name);
  double value = 0;
  const std::string number = equals == std::string::npos ? "" : given.substr(equals + 1);
  const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (metric != nullptr && problem == std::errc{} && end == number.data() + number.size()) {
    return Bound{metric, is_least, value};
  }
  const std::string what = metric == nullptr ? "there is no metric \"" + name + '"' : "expected a number behind =";
  return fail(what, given, "for example throughput_per_s=200, in the metric's unit; docs/metrics.md lists them");
}

Document models_document(const metrics::Derived& derived, const std::vector<Bound>& bounds) {
  return ModelTable(derived, bounds).document();
}

}  // namespace ngb::report
