// SPDX-License-Identifier: Apache-2.0
#include "report/figures/published_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "report/tables/published.h"

namespace ngb::report::figures {
namespace {

using tables::PublishedTable;

State published_state() { return {"published", ""}; }

bool shows(const Selection& selection, const std::string& device) {
  return std::find(selection.published().begin(), selection.published().end(), device) != selection.published().end();
}

// The groups of batch sizes of Table VI.
struct Batches {
  const char* words;
  const char* column;
  int first;
};
constexpr std::array kBatches{Batches{"2-4", "_b2_4", 2}, Batches{"8-16", "_b8_16", 8}};

// The table's column of a quantity, and that of its deviation.
std::string column_of(PublishedQuantity quantity, const Batches& batches) {
  return (quantity == PublishedQuantity::speed_up ? "throughput" : "cpu_percent") + std::string(batches.column);
}

// Returns the row of Identity on the same device and group.
std::size_t identity_of(const PublishedTable& table, std::size_t row) {
  std::size_t found = 0;
  while (table.text(found, "compiler") != "Identity" || table.text(found, "device") != table.text(row, "device") ||
         table.text(found, "family") != table.text(row, "family")) {
    ++found;
  }
  return found;
}

// Returns nothing for Identity, where the quantity compares with it.
std::optional<Number> number_of(const PublishedTable& table, std::size_t row, PublishedQuantity quantity,
                                const Batches& batches) {
  const std::string column = column_of(quantity, batches);
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
    if (group == style_of.end() || !shows(selection, device)) continue;
    for (const Batches& batches : kBatches) {
      const std::optional<Number> number = number_of(table, i, quantity, batches);
      if (!number) continue;
      Row row{{"panel", group->first},
              {"device", device},
              {"model_group", group->first},
              {"model_style", group->second},
              {"batch_sizes", batches.words},
              {"first_batch", batches.first},
              {"compiler", published_compiler(table.text(i, "compiler"))}};
      add_number(row, name, *number, published_state());
      rows.push_back(std::move(row));
    }
  }
}

void add_published_compile_times(const Selection& selection, std::vector<Row>& rows, const char* name) {
  struct Column {
    const char* name;
    const char* device;
    const char* compiler;
  };
  constexpr std::array kColumns{Column{"xeon_openvino", "xeon", "OpenVINO"}, Column{"xeon_tvm", "xeon", "TVM"},
                                Column{"rtx_tensorrt", "rtx", "TensorRT"}, Column{"rtx_tvm", "rtx", "TVM"}};
  std::map<std::pair<std::string, int>, Row> own;  // by model and batch size
  for (const Row& row : rows)
    own.emplace(std::pair(row.at("model").get<std::string>(), row.at("batch").get<int>()), row);
  std::map<std::string, std::string> known_as;  // the paper's name → ours
  const PublishedTable& models = tables::published_models();
  for (std::size_t i = 0; i < models.size(); ++i) known_as[models.text(i, "name")] = models.text(i, "timm_name");
  const PublishedTable& table = tables::published_compile_seconds();
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto like = own.find({known_as[table.text(i, "model")], static_cast<int>(table.number(i, "batch"))});
    if (like == own.end()) continue;
    for (const Column& column : kColumns) {
      const std::string device = tables::published_device(column.device);
      if (!shows(selection, device)) continue;
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
