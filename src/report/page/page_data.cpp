// SPDX-License-Identifier: Apache-2.0
#include "report/page/page_data.h"
#include "base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/json_text.h"
#include "report/columns.h"
#include "report/looks.h"
#include "report/page/html.h"
#include "theme.json.h"

namespace ngb::report::page {
namespace {

using metrics::Metric;
using nlohmann::json;
using store::CellData;

// Numbers texts in the order in which they first appear.
class Names {
 public:
  int index_of(const std::string& name) {
    const auto [found, is_new] = indices_.try_emplace(name, static_cast<int>(names_.size()));
    if (is_new) names_.push_back(name);
    return found->second;
  }
  [[nodiscard]] const std::vector<std::string>& all() const { return names_; }

 private:
  std::unordered_map<std::string, int> indices_{};
  std::vector<std::string> names_{};
};

// Returns the number with seven significant digits: more than any text of the page shows, in half the bytes.
json short_number(double value) {
  if (!std::isfinite(value)) return nullptr;
  constexpr int kDigits = 7;
  std::array<char, 32> text{};
  const auto written =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, kDigits);
  double rounded = value;
  std::from_chars(text.data(), written.ptr, rounded);
  return rounded;
}

// Of all cells together: about 700 kB of a page.
constexpr std::size_t kMostRatios = 20'000;

class DataWriter {
 public:
  DataWriter(const Content& content, const Labels& labels)
      : results_(*content.results), content_(content), labels_(labels), metrics_(shown_metrics(content)) {}

  json write() {
    json cells = cells_json();
    json groups = json::array();
    for (const std::string& group : group_of_) groups.push_back(group);
    return {{"devices", devices_.all()},
            {"models", models_.all()},
            {"compilers", compilers_.all()},
            {"looks", looks_json()},
            {"batches", batches_},
            {"group_of", std::move(groups)},
            {"baseline", text::visible(results_.baseline.words())},
            {"metrics", metrics_json()},
            {"flags", flags_.all()},
            {"reasons", reasons_.all()},
            {"may_be_fastest", may_be_fastest()},
            {"has_ratios", has_ratios_},
            {"cells", std::move(cells)}};
  }

 private:
  json cells_json() {
    std::unordered_map<const CellData*, std::size_t> index_of;
    for (std::size_t i = 0; i < results_.cells.size(); ++i) index_of[results_.cells[i]] = i;
    json cells = json::array();
    for (const CellData* cell : results_.cells) {
      const auto found = index_of.find(results_.baseline_of(*cell));
      json row = identity_of(*cell);
      row.push_back(found == index_of.end() ? json(-1) : json(found->second));
      row.push_back(flags_of(*cell));
      row.push_back(values_of(*cell));
      cells.push_back(std::move(row));
    }
    add_ratios(cells);
    return cells;
  }

  // Adds to each cell its ratios to all others of its workload, if that are not too many of all cells together.
  void add_ratios(json& cells) {
    std::map<json, std::vector<std::size_t>> workloads;  // by device, model and batch size
    for (std::size_t i = 0; i < cells.size(); ++i)
      workloads[json::array({cells[i][0], cells[i][1], cells[i][2]})].push_back(i);
    std::size_t count = 0;
    for (const auto& [workload, members] : workloads) count += members.size() * (members.size() - 1);
    has_ratios_ = count <= kMostRatios;
    for (const auto& [workload, members] : workloads) {
      for (const std::size_t i : members) cells[i].push_back(ratios_of(i, has_ratios_ ? members : std::vector{i}));
    }
  }

  json ratios_of(std::size_t cell, const std::vector<std::size_t>& workload) {
    const metrics::Numbers& numbers = results_.numbers;
    const std::string& why = numbers.why_no_ratio(*results_.cells[cell]);
    if (!why.empty()) return reasons_.index_of(text::visible(why));
    json ratios = json::array();
    for (const std::size_t other : workload) {
      const metrics::Number ratio = numbers.ratio(*results_.cells[cell], *results_.cells[other]);
      if (other == cell || !ratio.value) continue;
      ratios.push_back(json::array({other, short_number(*ratio.value)}));
      add_ends(ratios.back(), ratio);
    }
    return ratios;
  }

  static void add_ends(json& entry, const metrics::Number& number) {
    if (!number.low || !number.high) return;
    entry.push_back(short_number(*number.low));
    entry.push_back(short_number(*number.high));
  }

  [[nodiscard]] json may_be_fastest() const {
    json indices = json::array();
    for (std::size_t i = 0; i < results_.cells.size(); ++i) {
      if (content_.may_be_fastest.contains(results_.cells[i]->cell_id)) indices.push_back(i);
    }
    return indices;
  }

  json identity_of(const CellData& cell) {
    const int model = models_.index_of(text::visible(cell.of.model.label));
    if (static_cast<std::size_t>(model) == group_of_.size())
      group_of_.push_back(text::visible(cell.of.model.group.empty() ? cell.of.model.family : cell.of.model.group));
    const int compiler = compilers_.index_of(labels_.compiler(cell));
    if (static_cast<std::size_t>(compiler) == kind_of_.size()) kind_of_.push_back(text::visible(cell.of.compiler.name));
    auto batch = std::find(batches_.begin(), batches_.end(), cell.of.model.key.batch);
    if (batch == batches_.end()) batch = batches_.insert(batches_.end(), cell.of.model.key.batch);
    const std::string why = why_no_numbers(cell);
    return json::array({devices_.index_of(labels_.device(cell)), model, batch - batches_.begin(), compiler,
                        name(status_of(cell)), why.empty() ? -1 : reasons_.index_of(text::visible(why))});
  }

  json flags_of(const CellData& cell) {
    json flags = json::array();
    for (const metrics::Numbers::Raised& raised : results_.numbers.flags(cell)) {
      flags.push_back(flags_.index_of(std::string(raised.flag)));
    }
    return flags;
  }

  json values_of(const CellData& cell) {
    json values = json::array();
    for (const Metric* metric : metrics_) values.push_back(value_json(cell, *metric));
    return values;
  }

  json value_json(const CellData& cell, const Metric& metric) {
    const metrics::Number number = results_.numbers.of(cell, metric.name);
    if (!number.value) return reasons_.index_of(text::visible(number.reason));
    const Shown shown = shown_entry(metric_entry(results_, cell, {&metric, nullptr}), metric.unit);
    json entry = json::array({short_number(*number.value), shown.main + shown.tail});
    add_ends(entry, number);
    return entry;
  }

  [[nodiscard]] json looks_json() const {
    json looks = json::array();
    const json palette = json_text::parse(kText_theme_json).at("config").at("range").at("category");
    std::map<int, int> settings;  // how many have this colour
    for (const Look& look : looks_of(kind_of_)) {
      const auto colour = palette.at(static_cast<std::size_t>(look.colour)).get<std::string>();
      looks.push_back(json::array({shade(colour, settings[look.colour]++), look.shape % kShapes}));
    }
    return looks;
  }

  [[nodiscard]] json metrics_json() const {
    json rows = json::array();
    for (const Metric* metric : metrics_) {
      rows.push_back({{"name", metric->name},
                      {"heading", metric->heading},
                      {"unit", metric->unit},
                      {"formula", metric->formula},
                      {"has_interval", metric->has_interval},
                      {"refers_to_baseline", metric->refers_to_baseline}});
    }
    return rows;
  }

  const Results& results_;
  const Content& content_;
  const Labels& labels_;
  std::vector<const Metric*> metrics_{};
  Names devices_{};
  Names models_{};
  Names compilers_{};
  Names flags_{};
  Names reasons_{};
  std::vector<int> batches_{};
  bool has_ratios_ = true;
  std::vector<std::string> kind_of_{};  // the name of the compiler of each of `compilers_`
  std::vector<std::string> group_of_{};
};

bool is_in_a_large_page(const Metric& metric) {
  return metric.rank > 0 || std::string_view(metric.name) == "throughput_per_s";
}

}  // namespace

std::vector<const Metric*> shown_metrics(const Content& content) {
  const std::size_t cells = content.results->cells.size();
  std::vector<const Metric*> shown;
  for (const Metric& metric : metrics::metrics()) {
    if (cells <= kMostCellsWithEveryMetric || is_in_a_large_page(metric)) shown.push_back(&metric);
  }
  return shown;
}

namespace {

void add_figures(json& data, const Figures& figures) {
  data["config"] = json_text::parse(kText_theme_json).at("config");
  json& specifications = data["specifications"] = json::object();
  for (const Figure& figure : figures.shown) {
    json& specification = specifications[figure.name] = json_text::parse(figure.specification);
    if (specification.value("config", json()) == data["config"]) specification.erase("config");
  }
}

}  // namespace

json page_data(const Content& content, const Figures& figures, const Labels& labels) {
  json data = DataWriter(content, labels).write();
  add_figures(data, figures);
  return data;
}

json data_of_figures(const Figures& figures) {
  json data{{"baseline", ""}, {"has_ratios", false}};
  for (const char* const list : {"devices", "models", "compilers", "looks", "batches", "group_of", "metrics", "flags",
                                 "reasons", "may_be_fastest", "cells"}) {
    data[list] = json::array();
  }
  add_figures(data, figures);
  return data;
}

}  // namespace ngb::report::page
