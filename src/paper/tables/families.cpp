// SPDX-License-Identifier: Apache-2.0
// Table VI: throughput and CPU use of groups of models, for groups of batch sizes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <utility>

#include "base/text.h"
#include "metrics/series/workload.h"
#include "paper/published.h"
#include "paper/tables/tables.h"

namespace ngb::paper::tables {
namespace {

// A quantity of the table with its deviation, both of them series.
struct Quantity {
  const char* series;
  const char* deviation;
  const char* name;  // of the columns, before the batch sizes
  const char* unit;  // and after them
  const char* heading;
  const char* published;  // in published/table6_families.csv, before the batch sizes
};
constexpr std::array kQuantities{
    Quantity{"model_group_throughput_per_s", "model_group_throughput_std_per_s", "throughput", "per_s", "samples/s",
             "throughput"},
    Quantity{"model_group_cpu_percent", "model_group_cpu_std_percent", "cpu", "percent", "CPU %", "cpu_percent"},
};

using Batches = std::pair<int, int>;  // the smallest and the largest batch size

// Reads "8" or "2-4".
Batches batches_of(const std::string& text) {
  const std::vector<std::string> parts = text::split(text, '-');
  const auto number = [](const std::string& part) { return static_cast<int>(std::strtol(part.c_str(), nullptr, 10)); };
  return {number(parts.front()), number(parts.back())};
}

std::string joined_batches(const Batches& batches, std::string_view separator) {
  return batches.first == batches.second ? fmt::format("{}", batches.first)
                                         : fmt::format("{}{}{}", batches.first, separator, batches.second);
}

// Collects values by row (group of models, compiler, device) and group of batch sizes.
class FamilyLines {
 public:
  void add(const Input& input, const store::SeriesValue& value) {
    const store::CellData* const cell = input.first_cell(value);
    if (cell == nullptr) return;
    const std::size_t line = line_of(value.subject, input.compiler(*cell), input.device(*cell), false);
    const Batches batches = batches_of(value.batch_sizes);
    set(line, batches, value.series, number_entry(value.value, value.reason));
    const int group = metrics::series::first_of_batch_group(batches.first);
    std::size_t& models = lines_[line].models[group];
    models = std::max(models, input.models(value));
    std::size_t& most = most_models_[place_of(lines_[line], group)];
    most = std::max(most, models);
  }

  void add_published(std::size_t row) {
    const PublishedTable& published = published_families();
    const std::size_t line = line_of(published.text(row, "family"), published.text(row, "compiler"),
                                     published_device(published.text(row, "device")), true);
    for (const Batches& batches : published_batches()) {
      for (const Quantity& quantity : kQuantities) {
        const std::string column = fmt::format("{}_b{}", quantity.published, joined_batches(batches, "_"));
        set(line, batches, quantity.series, number_entry(published.number(row, column), ""));
        set(line, batches, quantity.deviation, number_entry(published.number(row, column + "_std"), ""));
      }
    }
  }

  [[nodiscard]] Document table() {
    std::stable_sort(lines_.begin(), lines_.end(), [this](const Line& a, const Line& b) {
      return order_of_families_.at(a.family) < order_of_families_.at(b.family);
    });
    Document made{.why_empty = "these results have no numbers of groups of models"};
    made.table.columns = {column("family", "family", Kind::text), column("compiler", "compiler", Kind::text),
                          column("device", "device", Kind::text)};
    for (const auto& [group, batches] : groups_) add_columns(made, batches);
    for (const Line& line : lines_) add_row(made, row_of(line));
    return made;
  }

 private:
  struct Line {
    std::string family{};
    std::string compiler{};
    std::string device{};
    bool is_published = false;
    std::map<int, Batches> batches{};                       // by group
    std::map<int, std::size_t> models{};                    // likewise, in the means; none of published lines
    std::map<std::pair<int, std::string>, Entry> values{};  // by group and series
  };

  std::size_t line_of(const std::string& family, const std::string& compiler, const std::string& device,
                      bool is_published) {
    order_of_families_.emplace(family, order_of_families_.size());
    const std::string key = fmt::format("{}\n{}\n{}\n{}", family, compiler, device, is_published);
    const auto [place, is_new] = places_.emplace(key, lines_.size());
    if (is_new) lines_.push_back({family, compiler, device, is_published, {}, {}});
    return place->second;
  }

  void set(std::size_t line, const Batches& batches, const std::string& series, Entry entry) {
    const int group = metrics::series::first_of_batch_group(batches.first);
    Batches& widest = groups_.emplace(group, batches).first->second;
    widest = {std::min(widest.first, batches.first), std::max(widest.second, batches.second)};
    lines_[line].batches[group] = batches;
    lines_[line].values[{group, series}] = std::move(entry);
  }

  static void add_columns(Document& made, const Batches& batches) {
    const std::string sizes = joined_batches(batches, "_");
    for (const Quantity& quantity : kQuantities) {
      made.table.columns.push_back(column(fmt::format("{}_b{}_{}", quantity.name, sizes, quantity.unit),
                                          fmt::format("{}, batch {}", quantity.heading, joined_batches(batches, "–")),
                                          Kind::number));
      made.table.columns.push_back(
          column(fmt::format("{}_std_b{}_{}", quantity.name, sizes, quantity.unit), "", Kind::deviation));
    }
  }

  [[nodiscard]] Row row_of(const Line& line) const {
    Row row{.entries = {text_entry(line.family), text_entry(line.compiler), text_entry(line.device)},
            .note = line.is_published ? kPublishedNote : ""};
    for (const auto& [group, widest] : groups_) {
      const auto own = line.batches.find(group);
      const bool is_part = own != line.batches.end() && own->second != widest;
      for (const Quantity& quantity : kQuantities) {
        Entry value = value_of(line, group, quantity.series);
        if (is_part && value.number()) {
          value.notes.push_back(fmt::format("Batch size {} only.", joined_batches(own->second, "–")));
        }
        if (const std::string few = words_of_few_models(line, group); value.number() && !few.empty()) {
          value.notes.push_back(few);
        }
        row.entries.push_back(std::move(value));
        row.entries.push_back(value_of(line, group, quantity.deviation));
      }
    }
    return row;
  }

  // Lines of one family, device and group of batch sizes are compared with each other, so a mean over fewer models than
  // another compiler's is misread unless it says so.
  static std::string place_of(const Line& line, int group) {
    return fmt::format("{}\n{}\n{}", line.family, line.device, group);
  }

  [[nodiscard]] std::string words_of_few_models(const Line& line, int group) const {
    const auto own = line.models.find(group);
    const auto most = most_models_.find(place_of(line, group));
    if (own == line.models.end() || most == most_models_.end() || own->second == most->second) return "";
    return fmt::format("Mean over {} of {} models.", own->second, most->second);
  }

  static Entry value_of(const Line& line, int group, const char* series) {
    const auto found = line.values.find({group, series});
    if (found != line.values.end()) return found->second;
    return empty_entry(line.is_published ? "not in the published table" : "not measured");
  }

  std::vector<Line> lines_{};
  std::map<std::string, std::size_t> places_{};             // in lines_
  std::map<std::string, std::size_t> order_of_families_{};  // of their first lines
  std::map<int, Batches> groups_{};                         // with the sizes that any line has
  std::map<std::string, std::size_t> most_models_{};        // of any compiler, by place_of
};

bool is_of_families(const store::SeriesValue& value) {
  return std::any_of(kQuantities.begin(), kQuantities.end(), [&value](const Quantity& quantity) {
    return value.series == quantity.series || value.series == quantity.deviation;
  });
}

}  // namespace

Document families(const Input& input) {
  FamilyLines lines;
  for (const store::SeriesValue* value : input.results().series) {
    if (is_of_families(*value)) lines.add(input, *value);
  }
  for (std::size_t row = 0; row < published_families().size(); ++row) {
    if (input.shows_published(published_device(published_families().text(row, "device")))) lines.add_published(row);
  }
  Document made = lines.table();
  made.remarks.emplace_back(
      "Means over the models and batch sizes of a group; ± is the mean of the cells' own standard deviations.");
  return made;
}

}  // namespace ngb::paper::tables
