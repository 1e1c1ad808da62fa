// SPDX-License-Identifier: Apache-2.0
#include "paper/figures/published_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <utility>

#include "metrics/baseline.h"
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
  if (quantity == "model_group_batch_cpu_percent")
    return Number{use, use - number.cpu_std_percent, use + number.cpu_std_percent, ""};
  if (number.is_identity) return std::nullopt;
  if (quantity == "model_group_batch_speed_up_ratio")
    return Number{number.throughput_per_s / number.identity_per_s, {}, {}, ""};
  if (quantity == "model_group_batch_cpu_reduction_ratio")
    return Number{1 - use / number.identity_cpu_percent, {}, {}, ""};
  return std::nullopt;
}

void add_families(const Selection& selection, const std::string& name, std::vector<Row>& rows) {
  for (const PublishedNumber& published : published_numbers(selection)) {
    const std::optional<Number> number = quantity_of(published, name);
    if (!number) continue;
    Row row = row_of(published, published.device, published.family);
    row["place"] = published.device;
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
  add_families(selection, std::string(number), rows);
  if (number == "compile_total_s") add_compile_times(selection, std::string(number), rows);
}

}  // namespace

std::string published_compiler(std::string_view called) {
  const std::string name = lower_case(called);
  return name == metrics::kIdentity ? metrics::known_as(name + ", paper") : name + " (paper)";
}

report::figures::Published published(std::vector<std::string> devices) {
  report::figures::Published made{.devices = std::move(devices), .add_rows = add_rows};
  for (const char* called : {"Identity", "OpenVINO", "TensorRT", "TVM"}) {
    made.compilers.push_back({published_compiler(called), lower_case(called)});
  }
  return made;
}

}  // namespace ngb::paper::figures
