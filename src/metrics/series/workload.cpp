// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "base/json_text.h"

namespace ngb::metrics::series {
namespace {

using nlohmann::json;
using store::CellData;

constexpr std::string_view kDynamic = " dynamic_batch";
constexpr std::array kNamesOfWidth{"width", "embed"};

// Returns "conv_block image_size=32": the family and those parameters that a curve has in common. Parameters that are
// lists or texts belong to no stack of blocks that differ in depth only, and are named all the same.
std::string name_of(const std::string& family, const json& parameters) {
  std::string name = family;
  for (const auto& [key, value] : parameters.items()) {
    name += fmt::format(" {}={}", key, value.is_string() ? value.get<std::string>() : json_text::dump(value));
  }
  return name;
}

}  // namespace

std::string name_of_compiler(const CellData& cell) {
  const bool is_told =
      cell.compiler_version.empty() || cell.compiler_label.find(cell.compiler_version) != std::string::npos;
  return is_told ? cell.compiler_label : cell.compiler_label + " " + cell.compiler_version;
}

std::string name_of_place(const CellData& cell) {
  const std::string kind = cell.compute_device.value.value_or("cpu");
  const std::string device = kind == "cpu" ? cell.device : fmt::format("{} ({})", cell.device, kind);
  return cell.load == work::kNoLoad ? device : fmt::format("{} under {}", device, cell.load);
}

std::string setting_of(const CellData& cell) {
  return fmt::format("{}\n{}\n{}\n{}\n{}", cell.compiler, cell.compiler_version, cell.configuration(),
                     cell.threads_wanted(), cell.precision);
}

std::string place_of(const CellData& cell) {
  return fmt::format("{}\n{}\n{}", cell.device, cell.compute_device.value.value_or("?"), cell.load);
}

std::string group_of(const CellData& cell) {
  if (!cell.model_group.empty()) return cell.model_group;
  if (!cell.model_family.empty()) return cell.model_family;
  return cell.model.ends_with(kDynamic) ? cell.model.substr(0, cell.model.size() - kDynamic.size()) : cell.model;
}

std::optional<Style> style_of(const CellData& cell) {
  if (cell.model_style == "convolutional") return Style::convolutional;
  if (cell.model_style == "transformer") return Style::transformer;
  if (cell.model_style == "hybrid") return Style::hybrid;
  return std::nullopt;
}

bool are_of_one_size(const CellData& a, const CellData& b) {
  if (a.model_size && b.model_size) return *a.model_size == *b.model_size;
  if (!a.model_parameter_count || !b.model_parameter_count) return false;
  const auto [small, large] = std::minmax(*a.model_parameter_count, *b.model_parameter_count);
  return static_cast<double>(large) <= kSizeBand * static_cast<double>(small);
}

int first_of_batch_group(int batch) {
  constexpr std::array kFirst{17, 5, 2};
  const auto* const found = std::find_if(kFirst.begin(), kFirst.end(), [&](int first) { return batch >= first; });
  return found == kFirst.end() ? 1 : *found;
}

std::optional<Block> block_of(const CellData& cell) {
  json parameters = json_text::parse(cell.model_parameters);
  if (!parameters.is_object()) return std::nullopt;
  const auto depth = parameters.find("depth");
  if (depth == parameters.end() || !depth->is_number_integer()) return std::nullopt;
  Block block{.depth = depth->get<int>()};
  parameters.erase("depth");
  block.name = name_of(cell.model_family, parameters);
  for (const char* const name : kNamesOfWidth) {
    const auto width = parameters.find(name);
    if (width == parameters.end() || !width->is_number()) continue;
    block.width = width->get<double>();
    parameters.erase(width);
    break;
  }
  block.name_sans_width = name_of(cell.model_family, parameters);
  return block;
}

}  // namespace ngb::metrics::series
