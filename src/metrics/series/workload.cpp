// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "work/property.h"

namespace ngb::metrics::series {
namespace {

using nlohmann::json;
using store::CellData;

constexpr std::string_view kDynamic = " dynamic_batch";
constexpr std::string_view kAnyShape = " dynamic";
constexpr std::string_view kPadded = " pad_to=";
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

bool differ_little(const std::optional<std::uint64_t>& a, const std::optional<std::uint64_t>& b, double factor) {
  if (!a || !b) return false;
  const auto [small, large] = std::minmax(*a, *b);
  return static_cast<double>(large) <= factor * static_cast<double>(small);
}

}  // namespace

std::string name_of_place(const CellData& cell) {
  const std::string kind = cell.of.compute_device.value.value_or("cpu");
  const std::string device = kind == "cpu" ? cell.of.device : fmt::format("{} ({})", cell.of.device, kind);
  return cell.of.load == work::kNoLoad ? device : fmt::format("{} under {}", device, cell.of.load);
}

std::string place_of(const CellData& cell) {
  return fmt::format("{}\n{}\n{}", cell.of.device, cell.of.compute_device.value.value_or("?"), cell.of.load);
}

std::string key_of_workload(const CellData& cell) {
  return fmt::format("{}\n{}\n{}", place_of(cell), cell.of.model.key.hash, cell.of.model.key.batch);
}

std::string cache_form_of(const CellData& cell) {
  const json& given = cell.recipe_parameters;
  if (cell.of.model.family != "decoder" || !given.is_object()) return {};
  std::string form = given.value("cache", "");
  return form == "open" ? "growing" : form;
}

std::string model_group_of(const CellData& cell) {
  if (!cell.of.model.group.empty()) return cell.of.model.group;
  if (!cell.of.model.family.empty()) return cell.of.model.family;
  const std::string own = label_of_own_shape(cell.of.model.label);
  return own.ends_with(kDynamic) ? own.substr(0, own.size() - kDynamic.size()) : own;
}

// The suffixes that config/models.cpp gives.
std::string label_of_own_shape(const std::string& label) {
  if (label.ends_with(kAnyShape)) return label.substr(0, label.size() - kAnyShape.size());
  const std::size_t padded = label.rfind(kPadded);
  const bool is_last = padded != std::string::npos && label.find(' ', padded + 1) == std::string::npos;
  return is_last ? label.substr(0, padded) : label;
}

bool is_of_blocks(const store::CellData& cell) { return cell.of.model.family.ends_with("_block"); }

std::optional<Style> style_of(const CellData& cell) {
  if (cell.of.model.style == "convolutional") return Style::convolutional;
  if (cell.of.model.style == "transformer") return Style::transformer;
  if (cell.of.model.style == "hybrid") return Style::hybrid;
  return std::nullopt;
}

bool are_alike_in_size(const CellData& a, const CellData& b, double factor) {
  const auto& one = a.of.model;
  const auto& other = b.of.model;
  return (one.size && one.size == other.size) || differ_little(one.parameters, other.parameters, factor) ||
         differ_little(one.macs, other.macs, factor);
}

int first_of_batch_group(int batch) {
  constexpr std::array kFirst{17, 5, 2};
  const auto* const found = std::find_if(kFirst.begin(), kFirst.end(), [&](int first) { return batch >= first; });
  return found == kFirst.end() ? 1 : *found;
}

std::optional<Block> block_of(const CellData& cell) {
  json parameters = cell.recipe_parameters;
  if (!parameters.is_object()) return std::nullopt;
  const auto depth = parameters.find("depth");
  if (depth == parameters.end() || !depth->is_number_integer()) return std::nullopt;
  Block block{.depth = depth->get<int>()};
  parameters.erase("depth");
  const std::string kind = cell.of.model.family.empty() ? model_group_of(cell) : cell.of.model.family;
  block.name = name_of(kind, parameters);
  for (const char* const name : kNamesOfWidth) {
    const auto width = parameters.find(name);
    if (width == parameters.end() || !width->is_number()) continue;
    block.width = width->get<double>();
    parameters.erase(width);
    break;
  }
  block.name_sans_width = name_of(kind, parameters);
  return block;
}

}  // namespace ngb::metrics::series
