// SPDX-License-Identifier: Apache-2.0
#include "report/series/models.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"
#include "metrics/axis.h"
#include "metrics/numbers.h"
#include "metrics/series/best_model.h"
#include "metrics/series/workload.h"
#include "report/columns.h"
#include "report/compare/outcomes.h"
#include "work/decided_by.h"

namespace ngb::report {
namespace {

using metrics::Number;
using metrics::series::Contender;
using metrics::series::ModelRace;
using store::CellData;

// How a model compares with the others at one place.
struct Standing {
  std::string verdict{};  // "best", "may be the best", "not told", "out", "alone", "not allowed"
  const Contender* contender = nullptr;
  std::optional<std::size_t> cell{};
  const statistics::Contrast* behind = nullptr;  // how much better the leader is; null: it is the leader
  std::string why{};
};

template <class Item>
std::vector<const Item*> pointers_to(const std::vector<Item>& items) {
  std::vector<const Item*> all;
  for (const Item& item : items) all.push_back(&item);
  return all;
}

class ModelTable {
 public:
  ModelTable(const metrics::Derived& derived, const metrics::Goal& goal)
      : derived_(derived),
        goal_(goal),
        numbers_(derived.values),
        analysis_(pointers_to(derived.cells), derived.baseline, pointers_to(derived.steady)),
        races_(metrics::series::races_of_models(analysis_, derived.by, goal, allowed())) {}

  [[nodiscard]] Document document() const {
    const std::string metric = derived_.by.name();
    Document document{.summary = summary(),
                      .table = {.columns = columns()},
                      .remarks = remarks(),
                      .json_rows = "models",
                      .extra = {{"metric", metric}}};
    std::map<std::string, std::size_t> sections;
    bool has_reasons = false;
    for (const std::vector<std::size_t>& cells : cells_of_models()) {
      const CellData& first = derived_.cells[cells.front()];
      const std::string title = fmt::format("{}, batch {}", name_of_place(first), first.of.model.key.batch);
      const auto [section, is_new] = sections.emplace(title, document.table.sections.size());
      if (is_new) document.table.sections.push_back({.title = title});
      const Standing standing = standing_of(cells);
      has_reasons = has_reasons || !standing.why.empty();
      document.table.sections[section->second].rows.push_back(row_of(first, standing));
    }
    std::ranges::find(document.table.columns, "why", &Column::heading)->is_for_people = has_reasons;
    return document;
  }

 private:
  // Returns why a cell is not chosen: "throughput_per_s is 150, and at least 200 is asked"; "" if it may be.
  [[nodiscard]] std::string refusal_of(const CellData& cell) const {
    for (const metrics::Bound& bound : goal_.bounds) {
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

  [[nodiscard]] bool is_for_all_devices() const { return goal_.across != metrics::Across::each; }
  // Identifies and names where models are compared with each other: a device, or all that count.
  [[nodiscard]] std::string place_of(const CellData& cell) const {
    return is_for_all_devices() ? cell.of.load : metrics::series::place_of(cell);
  }
  [[nodiscard]] std::string name_of_place(const CellData& cell) const {
    if (!is_for_all_devices()) return "on " + metrics::series::name_of_place(cell);
    const std::string load = cell.of.load.empty() || cell.of.load == work::kNoLoad ? "" : " under " + cell.of.load;
    return fmt::format("over {}{}", text::join(devices(), ", "), load);
  }
  [[nodiscard]] std::vector<std::string> devices() const {
    std::vector<std::string> names;
    for (const CellData& cell : derived_.cells) {
      const bool is_new = std::ranges::find(names, cell.of.device) == names.end();
      if (is_new && metrics::series::counts_for(goal_, cell)) names.push_back(cell.of.device);
    }
    return names;
  }

  // Returns the cells of each model at each place and batch size, in the order of the study.
  [[nodiscard]] std::vector<std::vector<std::size_t>> cells_of_models() const {
    std::map<std::string, std::size_t> known;
    std::vector<std::vector<std::size_t>> all;
    for (std::size_t i = 0; i < derived_.cells.size(); ++i) {
      const CellData& cell = derived_.cells[i];
      if (!metrics::series::counts_for(goal_, cell)) continue;
      const auto& key = cell.of.model.key;
      const auto [found, is_new] =
          known.emplace(fmt::format("{}\n{}\n{}", place_of(cell), key.hash, key.batch), all.size());
      if (is_new) all.emplace_back();
      all[found->second].push_back(i);
    }
    return all;
  }

  // Returns whether too few processes of the model were measured to tell it from the leader, for instance because
  // rounds dropped it by another metric.
  static bool is_untold(const ModelRace& race, const Contender& each) {
    return &each != &race.contenders.front() && each.judgement.verdict == statistics::Verdict::undecided &&
           !each.judgement.contrast.interval;
  }

  [[nodiscard]] Standing standing_of(const std::vector<std::size_t>& cells) const {
    for (const ModelRace& race : races_) {
      for (const Contender& each : race.contenders) {
        if (std::ranges::find(cells, each.cell) == cells.end()) continue;
        const bool is_leader = &each == &race.contenders.front();
        const char* const verdict = is_leader && race.is_won() ? "best"
                                    : each.is_out()            ? "out"
                                    : is_untold(race, each)    ? "not told"
                                                               : "may be the best";
        return {verdict, &each, each.cell, is_leader ? nullptr : &each.judgement.contrast, each.judgement.reason};
      }
    }
    return standing_without_race(cells);
  }

  // Of a model that no other one is compared with, or that is in no comparison.
  [[nodiscard]] Standing standing_without_race(const std::vector<std::size_t>& cells) const {
    std::string why;
    bool is_allowed = false;
    for (const std::size_t cell : cells) {
      const std::string refusal = refusal_of(derived_.cells[cell]);
      const std::string& no_value = derived_.steady[cell].reason;
      is_allowed = is_allowed || (refusal.empty() && no_value.empty());
      if (is_allowed && !is_for_all_devices())
        return {"alone", nullptr, cell, nullptr, "no other model keeps what is asked"};
      if (why.empty()) why = no_value.empty() ? refusal : no_value;
    }
    if (is_allowed && why.empty()) why = "it was not measured on each device, or no other model keeps what is asked";
    return {"not allowed", nullptr, std::nullopt, nullptr, why};
  }

  [[nodiscard]] std::vector<Column> columns() const {
    Column value = named("value", number_column(fmt::format("{} [95 %]", heading_of_metric()), 0, unit_of_metric()));
    value.has_interval = true;
    Column batch = named("batch", number_column("batch"));
    batch.is_in_titles = true;
    Column behind =
        named("beside_the_best",
              number_column("of the best [95 %]", 0, derived_.by.is_by_difference() ? unit_of_metric() : "ratio"));
    behind.has_interval = true;
    return {named("model", text_column("model")),
            std::move(batch),
            named("parameters", number_column("parameters", 4)),
            named("macs", number_column("MACs", 3)),
            named("compiler", text_column("best with")),
            std::move(value),
            beside_value(work::kSpeed),
            beside_value(work::kSavedBits),
            std::move(behind),
            named("verdict", text_column("verdict")),
            named("why", text_column("why", 5)),
            data_column("device"),
            data_column("load"),
            data_column("cell_id")};
  }
  // A column of another metric than the one by which models are compared.
  [[nodiscard]] Column beside_value(const char* name) const {
    const metrics::Metric& other = *metrics::find_metric(name);
    Column column = named(name, number_column(other.heading, 5, other.unit));
    column.is_for_people = is_beside(name);
    column.is_brief = true;
    return column;
  }
  [[nodiscard]] bool is_beside(const char* name) const {
    const auto has_value = [&](const CellData& cell) { return numbers_.of(cell, name).value.has_value(); };
    return derived_.by.name() != std::string_view(name) && std::ranges::any_of(derived_.cells, has_value);
  }
  [[nodiscard]] Entry entry_beside(const CellData* cell, const char* name) const {
    return cell == nullptr ? Entry{} : entry_of(numbers_.of(*cell, name));
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

  [[nodiscard]] Number mean_of(const Contender& contender) const {
    metrics::Value value = metrics::series::value_of(analysis_, derived_.by, goal_, contender);
    return {value.value, value.low, value.high, std::move(value.reason), derived_.by.name()};
  }
  // Returns the compiler of the best setting; over devices "onnxruntime on orin, openvino on xeon".
  [[nodiscard]] std::string compilers_of(const Standing& standing) const {
    if (!is_for_all_devices()) return metrics::compiler_of(derived_.cells[*standing.cell]);
    std::vector<std::string> names;
    for (const std::size_t each : standing.contender->cells) {
      const CellData& cell = derived_.cells[each];
      names.push_back(fmt::format("{} on {}", metrics::compiler_of(cell), cell.of.device));
    }
    return text::join(names, ", ");
  }

  [[nodiscard]] Row row_of(const CellData& model, const Standing& standing) const {
    const auto& of = model.of.model;
    const auto count = [](const std::optional<std::uint64_t>& number) {
      return number ? Entry{*number} : empty_entry("it is known of recipes only");
    };
    const CellData* const cell = standing.cell ? &derived_.cells[*standing.cell] : nullptr;
    const bool is_mean = goal_.across == metrics::Across::mean && standing.contender != nullptr;
    const Style style = standing.verdict == "best"  ? Style::good
                        : standing.verdict == "out" ? Style::bad
                                                    : Style::plain;
    return {.entries = {Entry{of.label}, Entry{of.key.batch}, count(of.parameters), count(of.macs),
                        cell == nullptr ? Entry{} : Entry{compilers_of(standing)},
                        cell == nullptr ? empty_entry(standing.why)
                        : is_mean       ? entry_of(mean_of(*standing.contender))
                                        : entry_of(numbers_.of(*cell, derived_.by.name())),
                        entry_beside(cell, work::kSpeed), entry_beside(cell, work::kSavedBits), behind_of(standing),
                        Entry{.value = standing.verdict, .style = style}, text_entry(standing.why),
                        Entry{model.of.device}, Entry{model.of.load},
                        cell == nullptr ? Entry{} : Entry{cell->cell_id}}};
  }

  // Returns "a, b, c and 4 more"; names that have commas are set apart by semicolons.
  [[nodiscard]] static std::string listed(std::vector<std::string> names) {
    constexpr std::size_t kMost = 6;
    const bool have_commas = std::ranges::any_of(names, [](const auto& each) { return each.find(',') != each.npos; });
    const char* const between = have_commas ? "; " : ", ";
    if (names.size() <= kMost + 1) return text::join(names, between);
    const std::size_t more = names.size() - kMost;
    names.resize(kMost);
    return fmt::format("{} and {} more", text::join(names, between), more);
  }

  [[nodiscard]] std::string summary() const {
    std::vector<std::string> told;
    for (const ModelRace& race : races_) {
      std::vector<std::string> names;
      std::size_t untold = 0;
      for (const Contender& each : race.contenders) {
        if (is_untold(race, each))
          ++untold;
        else if (!each.is_out())
          names.push_back(analysis_.cell(each.cell).of.model.label);
      }
      const CellData& leader = analysis_.cell(race.contenders.front().cell);
      const std::string by =
          fmt::format(" by {}{}", is_for_all_devices() ? fmt::format("the {} ", metrics::name(goal_.across)) : "",
                      derived_.by.name());
      const bool is_plainly_fastest = derived_.by.metric == nullptr && !is_for_all_devices();
      const std::string others =
          untold == 0 ? "" : fmt::format("; too few processes tell it from {} other{}", untold, untold == 1 ? "" : "s");
      told.push_back(fmt::format("{} {} the {} model at batch {} {}{}{}", listed(names),
                                 names.size() == 1 && untold == 0 ? "is" : "may be",
                                 is_plainly_fastest ? "fastest" : "best", leader.of.model.key.batch,
                                 name_of_place(leader), is_plainly_fastest ? "" : by, others));
    }
    return told.empty() ? "No two models can be compared" : text::join(told, "\n");
  }

  [[nodiscard]] std::vector<std::string> remarks() const {
    std::vector<std::string> all{
        "Of each model the best setting stands; as each could have been it, and each model the best, the verdicts "
        "leave out the best model in at most 5 % of such tables (multiple comparisons with the best)"};
    for (const metrics::Bound& bound : goal_.bounds) all.push_back("Asked: " + bound.in_words());
    return all;
  }

  const metrics::Derived& derived_;
  const metrics::Goal& goal_;
  metrics::Numbers numbers_;
  metrics::Analysis analysis_;
  std::vector<ModelRace> races_;
};

}  // namespace

Document models_document(const metrics::Derived& derived, const metrics::Goal& goal) {
  return ModelTable(derived, goal).document();
}

std::optional<Document> models_of_answer(const metrics::Derived& derived) {
  if (!derived.goal.is_asked) {
    const metrics::Analysis analysis(pointers_to(derived.cells), derived.baseline, pointers_to(derived.steady));
    if (!metrics::series::is_one_network_varied(analysis)) return std::nullopt;
  }
  return models_document(derived, derived.goal);
}

Document shortened(Document models, bool is_asked) {
  models.remarks.clear();
  std::vector<std::string> sentences = text::split(models.summary, '\n');
  std::size_t lines = sentences.size() + 2;  // an empty line and the heading
  for (const Section& section : models.table.sections) lines += section.rows.size() + 2;
  if (is_asked) return models;
  std::ranges::find(models.table.columns, "beside_the_best", &Column::json)->is_for_people = false;
  if (lines <= kMostUnaskedLines) return models;
  models.table = {};
  const std::size_t most = kMostUnaskedLines - 1;
  if (sentences.size() > most) sentences.resize(most);
  sentences.emplace_back("Each model with its best compiler, parameters and MACs: ngb show RESULTS --models");
  models.summary = text::join(sentences, "\n");
  return models;
}

}  // namespace ngb::report
