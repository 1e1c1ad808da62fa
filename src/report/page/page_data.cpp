// SPDX-License-Identifier: Apache-2.0
#include "report/page/page_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unordered_map>

#include "base/json_text.h"
#include "base/text.h"
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
double short_number(double value) {
  constexpr int kDigits = 7;
  std::array<char, 32> text{};
  const auto written =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, kDigits);
  double rounded = value;
  std::from_chars(text.data(), written.ptr, rounded);
  return rounded;
}

// Returns whether a script writes the number as this text: `scale` times it, with so many decimals. Scripts round a
// half up.
bool is_written_as(double number, double scale, int decimals, std::string_view text) {
  const double halves = number * scale * std::pow(10, decimals) * 2;
  const bool is_half = std::floor(halves) == halves && std::fmod(halves, 2) != 0;
  return !is_half && fmt::format("{:.{}f}", number * scale, decimals) == text;
}

// Returns how a text is made of its numbers: [how many numbers there are, the text with "@" for each, by what they are
// multiplied, with how many decimals they are written]. If that gives another text, it is [how many, the whole text].
json form_of(const std::string& text, const std::vector<double>& numbers) {
  constexpr std::array kScales{1.0, 1e3, 1e6, 1e9, 1e-3, 1e-6, 1e-9};
  constexpr const char* kDigits = "0123456789.";
  json whole{numbers.size(), text};
  std::string around;
  std::vector<std::string> written;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = std::min(text.find_first_of(kDigits, at), text.size());
    const std::size_t end = std::min(text.find_first_not_of(kDigits, begin), text.size());
    around += text.substr(at, begin - at) + (begin < end ? "@" : "");
    if (begin < end) written.push_back(text.substr(begin, end - begin));
    at = end;
  }
  if (written.empty() || written.size() > numbers.size() || text.find('@') != std::string::npos) return whole;
  const std::size_t point = written.front().find('.');
  const int decimals = point == std::string::npos ? 0 : static_cast<int>(written.front().size() - point - 1);
  for (const double scale : kScales) {
    const auto is_same = [&](const std::string& each, double number) {
      return is_written_as(number, scale, decimals, each);
    };
    if (std::equal(written.begin(), written.end(), numbers.begin(), is_same))
      return {numbers.size(), around, scale, decimals};
  }
  return whole;
}

// Of all cells together: about 700 kB of a page.
constexpr std::size_t kMostRatios = 20'000;

// Returns the column with [value, how often] in place of a value that follows itself.
json in_runs(const std::vector<int>& column) {
  json runs = json::array();
  for (auto from = column.begin(); from != column.end();) {
    const auto to = std::find_if(from, column.end(), [from](int value) { return value != *from; });
    runs.push_back(to - from == 1 ? json(*from) : json{*from, to - from});
    from = to;
  }
  return runs;
}

json config_of_theme() { return json_text::parse(kText_theme_json).at("config"); }

// Returns the JSON texts as JSON.
json parsed(const std::vector<std::string>& texts) {
  json all = json::array();
  for (const std::string& text : texts) all.push_back(json_text::parse(text));
  return all;
}

class DataWriter {
 public:
  DataWriter(const Content& content, const Labels& labels)
      : results_(*content.results), content_(content), labels_(labels), metrics_(shown_metrics(content)) {}

  json write() {
    json cells = cells_json();
    json ratios = ratios_json();
    json values = json::array();
    for (const Metric* metric : metrics_) values.push_back(values_of(*metric));
    json groups = json::array();
    for (const std::string& group : group_of_) groups.push_back(group);
    return {{"devices", devices_.all()},
            {"models", models_.all()},
            {"compilers", compilers_.all()},
            {"looks", looks_json()},
            {"batches", batches_},
            {"group_of", std::move(groups)},
            {"baseline", text::visible(results_.baseline.in_a_sentence())},
            {"metrics", metrics_json()},
            {"metric", first_metric()},
            {"statuses", statuses_.all()},
            {"flag_sets", parsed(flag_sets_.all())},
            {"forms", parsed(forms_.all())},
            {"values", std::move(values)},
            {"ratios", std::move(ratios)},
            {"reasons", reasons_.all()},
            {"may_be_fastest", may_be_fastest()},
            {"has_ratios", has_ratios_},
            {"cells", std::move(cells)},
            {"config", config_of_theme()}};
  }

 private:
  json cells_json() {
    std::unordered_map<const CellData*, int> index_of;
    for (const CellData* cell : results_.cells) index_of.emplace(cell, static_cast<int>(index_of.size()));
    std::map<std::string, std::vector<int>> columns;
    for (const CellData* cell : results_.cells) {
      const auto baseline = index_of.find(results_.baseline_of(*cell));
      const std::string why = why_no_numbers(*cell);
      const std::string& why_no_ratio = results_.numbers.why_no_ratio(*cell);
      columns["device"].push_back(devices_.index_of(labels_.device(*cell)));
      columns["model"].push_back(model_of(*cell));
      columns["batch"].push_back(batch_of(*cell));
      columns["compiler"].push_back(compiler_of_cell(*cell));
      columns["status"].push_back(statuses_.index_of(std::string(name(status_of(*cell)))));
      columns["why"].push_back(why.empty() ? -1 : reasons_.index_of(text::visible(why)));
      columns["baseline"].push_back(baseline == index_of.end() ? -1 : baseline->second);
      columns["flags"].push_back(flag_sets_.index_of(json_text::dump(flags_of(*cell))));
      columns["why_no_ratio"].push_back(why_no_ratio.empty() ? -1 : reasons_.index_of(text::visible(why_no_ratio)));
    }
    json cells = json::object();
    for (const auto& [name, column] : columns) cells[name] = in_runs(column);
    return cells;
  }

  // Returns each cell's ratios to all others of its workload, if that are not too many of all cells together.
  json ratios_json() {
    std::map<std::tuple<std::string, std::string, int>, std::vector<std::size_t>> workloads;
    for (std::size_t i = 0; i < results_.cells.size(); ++i) {
      const CellData& cell = *results_.cells[i];
      workloads[{labels_.device(cell), cell.of.model.label, cell.of.model.key.batch}].push_back(i);
    }
    std::size_t count = 0;
    for (const auto& [workload, members] : workloads) count += members.size() * (members.size() - 1);
    has_ratios_ = count <= kMostRatios;
    if (!has_ratios_) return json::array();
    json ratios(results_.cells.size(), json::array());
    for (const auto& [workload, members] : workloads) {
      for (const std::size_t i : members) ratios[i] = ratios_of(i, members);
    }
    return ratios;
  }

  json ratios_of(std::size_t cell, const std::vector<std::size_t>& workload) {
    json ratios = json::array();
    for (const std::size_t other : workload) {
      const metrics::Number ratio = results_.numbers.ratio(*results_.cells[cell], *results_.cells[other]);
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

  int batch_of(const CellData& cell) {
    const auto found = std::ranges::find(batches_, cell.of.model.key.batch);
    const auto batch = static_cast<int>(found - batches_.begin());
    if (found == batches_.end()) batches_.push_back(cell.of.model.key.batch);
    return batch;
  }

  int model_of(const CellData& cell) {
    const int model = models_.index_of(text::visible(cell.of.model.label));
    if (static_cast<std::size_t>(model) == group_of_.size())
      group_of_.push_back(text::visible(cell.of.model.group.empty() ? cell.of.model.family : cell.of.model.group));
    return model;
  }

  int compiler_of_cell(const CellData& cell) {
    const int compiler = compilers_.index_of(labels_.compiler(cell));
    if (static_cast<std::size_t>(compiler) == kind_of_.size()) kind_of_.push_back(text::visible(cell.of.compiler.name));
    return compiler;
  }

  json flags_of(const CellData& cell) {
    json flags = json::array();
    for (const metrics::RaisedFlag& raised : results_.numbers.flags(cell)) flags.push_back(raised.flag->name);
    return flags;
  }

  json values_of(const Metric& metric) {
    std::vector<int> says;
    json numbers = json::array();
    for (const CellData* cell : results_.cells) {
      const metrics::Number number = results_.numbers.of(*cell, metric.name);
      if (!number.value || !std::isfinite(*number.value)) {
        says.push_back(-1 - reasons_.index_of(number.value ? "not a finite number" : text::visible(number.reason)));
        continue;
      }
      std::vector<double> shown{short_number(*number.value)};
      if (number.low && number.high) shown.insert(shown.end(), {short_number(*number.low), short_number(*number.high)});
      const Shown text = shown_entry(metric_entry(results_, *cell, {&metric, nullptr}), metric.unit);
      says.push_back(forms_.index_of(json_text::dump(form_of(text.main + text.tail, shown))));
      for (const double each : shown) numbers.push_back(each);
    }
    return {{"says", in_runs(says)}, {"numbers", std::move(numbers)}};
  }

  [[nodiscard]] json looks_json() const {
    json looks = json::array();
    const json palette = config_of_theme().at("range").at("category");
    std::map<int, int> settings;  // how many have this colour
    for (const Look& look : looks_of(kind_of_)) {
      const auto colour = palette.at(static_cast<std::size_t>(look.colour)).get<std::string>();
      looks.push_back(json::array({shade(colour, settings[look.colour]++), look.shape % kShapes}));
    }
    return looks;
  }

  // Returns the name of the metric that the chart shows first.
  [[nodiscard]] const char* first_metric() const {
    const bool is_shown = std::ranges::find(metrics_, content_.by.metric) != metrics_.end();
    return is_shown ? content_.by.name() : metrics::Judged{}.name();
  }

  [[nodiscard]] json metrics_json() const {
    json rows = json::array();
    for (const Metric* metric : metrics_) {
      rows.push_back({{"name", metric->name},
                      {"heading", metric->heading},
                      {"unit", metric->unit},
                      {"formula", metric->formula},
                      {"has_interval", metric->has_interval},
                      {"better", metric->better == metrics::Better::neither ? json()
                                 : metric->is_higher_better()               ? json("higher")
                                                                            : json("lower")},
                      {"refers_to_baseline", metric->about == metrics::About::baseline}});
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
  Names statuses_{};
  Names flag_sets_{};  // as JSON
  Names forms_{};      // likewise
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

json specifications_of(const Figures& figures) {
  const json config = config_of_theme();
  json specifications = json::object();
  for (const Figure& figure : figures.shown) {
    json& specification = specifications[figure.name] = json_text::parse(figure.specification);
    if (specification.value("config", json()) == config) specification.erase("config");
  }
  return specifications;
}

json page_data(const Content& content, const Labels& labels) { return DataWriter(content, labels).write(); }

json data_without_cells() {
  const Results results = all_results({}, {});
  const Content content{.results = &results};
  return page_data(content, Labels(content));
}

}  // namespace ngb::report::page
