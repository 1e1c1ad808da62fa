// SPDX-License-Identifier: Apache-2.0
#include "report/figures/published_rows.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "report/tables/published.h"

namespace ngb::report::figures {
namespace {

using tables::PublishedTable;

State published_state() { return {"published", ""}; }

// Returns the row of Identity on the same device and group.
std::size_t identity_of(const PublishedTable& table, std::size_t row) {
  std::size_t found = 0;
  while (table.text(found, "compiler") != "Identity" || table.text(found, "device") != table.text(row, "device") ||
         table.text(found, "family") != table.text(row, "family")) {
    ++found;
  }
  return found;
}

// Returns the quantity from the columns of a group of batch sizes, which end so ("_b2_4"). Returns nothing if it is a
// ratio to Identity and the row is that of Identity itself.
std::optional<Number> number_of(const PublishedTable& table, std::size_t row, PublishedQuantity quantity,
                                const std::string& ending) {
  const std::string column = (quantity == PublishedQuantity::speed_up ? "throughput" : "cpu_percent") + ending;
  const double value = table.number(row, column);
  if (quantity == PublishedQuantity::cpu_percent) {
    const double deviation = table.number(row, column + "_std");
    return Number{value, value - deviation, value + deviation, ""};
  }
  const std::size_t identity = identity_of(table, row);
  if (identity == row) return std::nullopt;
  const double ratio = value / table.number(identity, column);
  return Number{quantity == PublishedQuantity::speed_up ? ratio : 1 - ratio, {}, {}, ""};
}

}  // namespace

void add_published_groups(const Selection& selection, std::vector<Row>& rows, PublishedQuantity quantity,
                          const char* name) {
  std::map<std::string, Row> style_of;  // of the groups of the rows
  for (const Row& row : rows) style_of.emplace(row.at("model_group").get<std::string>(), row.at("model_style"));
  const PublishedTable& table = tables::published_families();
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::string device = tables::published_device(table.text(i, "device"));
    const auto group = style_of.find(table.text(i, "family"));
    if (group == style_of.end() || !selection.shows_published(device)) continue;
    for (const auto& [least, most] : tables::published_batches()) {
      const std::optional<Number> number = number_of(table, i, quantity, fmt::format("_b{}_{}", least, most));
      if (!number) continue;
      Row row{{"panel", group->first},
              {"device", device},
              {"model_group", group->first},
              {"model_style", group->second},
              {"batch_sizes", fmt::format("{}-{}", least, most)},
              {"first_batch", least},
              {"compiler", published_compiler(table.text(i, "compiler"))}};
      add_number(row, name, *number, published_state());
      rows.push_back(std::move(row));
    }
  }
}

void add_published_compile_times(const Selection& selection, std::vector<Row>& rows, const char* name) {
  std::map<std::pair<std::string, int>, Row> own;  // by model and batch size
  for (const Row& row : rows)
    own.emplace(std::pair(row.at("model").get<std::string>(), row.at("batch").get<int>()), row);
  const PublishedTable& table = tables::published_compile_seconds();
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto like = own.find({tables::timm_name(table.text(i, "model")), static_cast<int>(table.number(i, "batch"))});
    if (like == own.end()) continue;
    for (const tables::PublishedColumn& column : tables::published_compile_columns()) {
      const std::string device = tables::published_device(column.called);
      if (!selection.shows_published(device)) continue;
      Row row = like->second;
      row["device"] = device;
      row["compiler"] = published_compiler(column.compiler);
      row["tuning_s"] = nullptr;
      add_number(row, name, {table.number(i, column.name), {}, {}, ""}, published_state());
      rows.push_back(std::move(row));
    }
  }
}

}  // namespace ngb::report::figures
