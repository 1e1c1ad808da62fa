// SPDX-License-Identifier: Apache-2.0
#include "paper/published.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/text.h"
#include "table3_compile_seconds.csv.h"
#include "table4_models.csv.h"
#include "table5_blocks.csv.h"
#include "table6_families.csv.h"
#include "table7_conv_depth.csv.h"
#include "table8_mha_depth.csv.h"

namespace ngb::paper {

namespace {

constexpr std::array<std::string_view, 3> kDevices{"paper: Xeon", "paper: RTX 4070", "paper: Orin"};

constexpr std::array kCompileColumns{
    PublishedColumn{"xeon_openvino", "xeon", "OpenVINO"}, PublishedColumn{"xeon_tvm", "xeon", "TVM"},
    PublishedColumn{"rtx_tensorrt", "rtx", "TensorRT"}, PublishedColumn{"rtx_tvm", "rtx", "TVM"}};

constexpr std::array<std::pair<int, int>, 2> kBatches{{{2, 4}, {8, 16}}};

// Returns what the first model whose `column` is `given` has in another column; "" if there is none.
std::string of_table_iv(const char* column, std::string_view given, const char* other) {
  const PublishedTable& models = published_models();
  for (std::size_t row = 0; row < models.size(); ++row) {
    if (models.text(row, column) == given) return models.text(row, other);
  }
  return {};
}

}  // namespace

PublishedTable::PublishedTable(std::string_view csv) {
  for (const std::string& line : text::split(csv, '\n')) {
    if (line.empty() || line.starts_with('#')) continue;
    if (columns_.empty())
      columns_ = text::split(line, ',');
    else
      rows_.push_back(text::split(line, ','));
  }
}

const std::string& PublishedTable::text(std::size_t row, std::string_view column) const {
  const auto found = std::find(columns_.begin(), columns_.end(), column);
  return rows_.at(row).at(static_cast<std::size_t>(found - columns_.begin()));
}

double PublishedTable::number(std::size_t row, std::string_view column) const {
  return std::strtod(text(row, column).c_str(), nullptr);
}

const PublishedTable& published_compile_seconds() {
  static const PublishedTable table(kText_table3_compile_seconds_csv);
  return table;
}

const PublishedTable& published_models() {
  static const PublishedTable table(kText_table4_models_csv);
  return table;
}

const PublishedTable& published_blocks() {
  static const PublishedTable table(kText_table5_blocks_csv);
  return table;
}

const PublishedTable& published_families() {
  static const PublishedTable table(kText_table6_families_csv);
  return table;
}

const PublishedTable& published_conv_depth() {
  static const PublishedTable table(kText_table7_conv_depth_csv);
  return table;
}

const PublishedTable& published_mha_depth() {
  static const PublishedTable table(kText_table8_mha_depth_csv);
  return table;
}

std::span<const std::string_view> published_devices() { return kDevices; }

std::string published_device(std::string_view called) {
  if (called == "Orin") return std::string(kDevices[2]);
  return std::string(called == "GPU" || called == "rtx" ? kDevices[1] : kDevices[0]);
}

std::span<const PublishedColumn> published_compile_columns() { return kCompileColumns; }

std::span<const std::pair<int, int>> published_batches() { return kBatches; }

std::string timm_name(std::string_view published_model) { return of_table_iv("name", published_model, "timm_name"); }

std::string style_of_family(std::string_view family) { return of_table_iv("family", family, "style"); }

std::size_t identity_row(std::size_t row) {
  const PublishedTable& table = published_families();
  std::size_t found = 0;
  while (table.text(found, "compiler") != "Identity" || table.text(found, "device") != table.text(row, "device") ||
         table.text(found, "family") != table.text(row, "family")) {
    ++found;
  }
  return found;
}

bool contradict(double slope, double retention) { return (slope > 0) != (retention > 1); }

}  // namespace ngb::paper
