// SPDX-License-Identifier: Apache-2.0
#include "paper/figures/published_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <utility>

#include "paper/figures/rows.h"
#include "paper/published.h"

namespace ngb::paper::figures {
namespace {

std::string lower_case(std::string_view word) {
  std::string lower(word);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

State published_state() { return {"published", ""}; }

// Returns nothing for a ratio to Identity of Identity itself.
std::optional<Number> quantity_of(const PublishedNumber& number, std::string_view quantity) {
  const double use = number.cpu_percent;
  if (quantity == "family_cpu_percent")
    return Number{use, use - number.cpu_std_percent, use + number.cpu_std_percent, ""};
  if (number.is_identity) return std::nullopt;
  const bool is_speed_up = quantity == "family_speed_up_ratio";
  return Number{is_speed_up ? number.throughput_per_s / number.identity_per_s : 1 - use / number.identity_cpu_percent,
                {},
                {},
                ""};
}

// Adds the groups that one of the rows has.
void add_groups(const Selection& selection, const std::string& name, std::vector<Row>& rows) {
  std::map<std::string, Row> style_of;  // of the groups of the rows
  for (const Row& row : rows) style_of.emplace(row.at("model_group").get<std::string>(), row.at("model_style"));
  for (const PublishedNumber& published : published_numbers(selection)) {
    const auto group = style_of.find(published.family);
    const std::optional<Number> number = quantity_of(published, name);
    if (group == style_of.end() || !number) continue;
    Row row{
        {"panel", group->first},         {"device", published.device},           {"model_group", group->first},
        {"model_style", group->second},  {"batch_sizes", published.batch_sizes}, {"first_batch", published.first_batch},
        {"compiler", published.compiler}};
    add_number(row, name.c_str(), *number, published_state());
    rows.push_back(std::move(row));
  }
}

// Adds the models that one of the rows has, in the panels that it has.
void add_compile_times(const Selection& selection, const std::string& name, std::vector<Row>& rows) {
  std::map<std::pair<std::string, int>, Row> own;  // by model and batch size
  for (const Row& row : rows)
    own.emplace(std::pair(row.at("model").get<std::string>(), row.at("batch").get<int>()), row);
  const PublishedTable& table = published_compile_seconds();
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto like = own.find({timm_name(table.text(i, "model")), static_cast<int>(table.number(i, "batch"))});
    if (like == own.end()) continue;
    for (const PublishedColumn& column : published_compile_columns()) {
      const std::string device = published_device(column.called);
      if (!selection.shows_published(device)) continue;
      Row row = like->second;
      row["device"] = device;
      row["compiler"] = published_compiler(column.compiler);
      row["tuning_s"] = nullptr;
      add_number(row, name.c_str(), {table.number(i, column.name), {}, {}, ""}, published_state());
      rows.push_back(std::move(row));
    }
  }
}

void add_rows(const Selection& selection, std::string_view number, std::vector<Row>& rows) {
  constexpr std::array<std::string_view, 3> kOfGroups{"family_cpu_percent", "family_cpu_reduction_ratio",
                                                      "family_speed_up_ratio"};
  if (std::find(kOfGroups.begin(), kOfGroups.end(), number) != kOfGroups.end()) {
    add_groups(selection, std::string(number), rows);
  }
  if (number == "compile_total_s") add_compile_times(selection, std::string(number), rows);
}

}  // namespace

std::string published_compiler(std::string_view called) { return lower_case(called) + " (paper)"; }

report::figures::Published published(std::vector<std::string> devices) {
  report::figures::Published made{.devices = std::move(devices), .add_rows = add_rows};
  for (const char* called : {"Identity", "OpenVINO", "TensorRT", "TVM"}) {
    made.compilers.push_back({published_compiler(called), lower_case(called)});
  }
  return made;
}

}  // namespace ngb::paper::figures
