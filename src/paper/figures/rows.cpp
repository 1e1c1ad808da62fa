// SPDX-License-Identifier: Apache-2.0
#include "paper/figures/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "metrics/series/workload.h"
#include "paper/figures/published_rows.h"
#include "paper/published.h"

namespace ngb::paper::figures {

using store::CellData;

namespace {

// What is known of the compilers of one place.
struct OfPlace {
  std::string baseline{};
  std::array<std::string, kVendors.size()> vendors{};
  std::vector<std::string> order{};
  std::map<std::string, std::pair<double, int>> log_speed_ups{};  // sum and count, by compiler
};

void add_cell(const Selection& selection, const CellData& cell, OfPlace& place) {
  const CellData* const baseline = selection.results().baseline_of(cell);
  const std::string compiler = selection.compiler(cell);
  if (baseline == &cell && place.baseline.empty()) place.baseline = compiler;
  if (baseline == &cell) return;
  const auto* const vendor = std::find(kVendors.begin(), kVendors.end(), cell.of.compiler.name);
  if (vendor != kVendors.end()) {
    std::string& known = place.vendors.at(static_cast<std::size_t>(vendor - kVendors.begin()));
    if (known.empty()) known = compiler;
  }
  const Number speed_up = number_of(selection, cell, "speed_up_ratio");
  if (!speed_up.value || *speed_up.value <= 0) return;
  auto& [sum, count] = place.log_speed_ups[compiler];
  if (count++ == 0) place.order.push_back(compiler);
  sum += std::log(*speed_up.value);
}

std::string vendor_of(const OfPlace& place) {
  for (const std::string& vendor : place.vendors) {
    if (!vendor.empty()) return vendor;
  }
  const auto mean = [&](const std::string& compiler) {
    const auto& [sum, count] = place.log_speed_ups.at(compiler);
    return sum / count;
  };
  const auto best = std::max_element(place.order.begin(), place.order.end(),
                                     [&](const std::string& a, const std::string& b) { return mean(a) < mean(b); });
  return best == place.order.end() ? std::string() : *best;
}

}  // namespace

std::vector<Contrasted> contrasted_compilers(const Selection& selection) {
  std::vector<std::string> order;
  std::map<std::string, OfPlace> places;
  for (const CellData* cell : selection.cells()) {
    const std::string place = place_in_figure(selection, *cell);
    if (!places.contains(place)) order.push_back(place);
    add_cell(selection, *cell, places[place]);
  }
  std::vector<Contrasted> found;
  for (const std::string& place : order) {
    found.push_back({place, vendor_of(places.at(place)), places.at(place).baseline});
    if (found.back().vendor.empty()) found.pop_back();
  }
  return found;
}

Stacks stacks_of(const Selection& selection, const char* family) {
  std::set<double> widths;
  std::set<int> depths;
  for (const CellData* cell : selection.cells()) {
    const auto block = cell->of.model.family == family ? metrics::series::block_of(*cell) : std::nullopt;
    if (!block || !block->width) continue;
    widths.insert(*block->width);
    depths.insert(block->depth);
  }
  return {{widths.begin(), widths.end()}, {depths.begin(), depths.end()}};
}

std::vector<PublishedNumber> published_numbers(const Selection& selection) {
  const PublishedTable& table = published_families();
  std::vector<PublishedNumber> numbers;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const std::string device = published_device(table.text(row, "device"));
    if (!selection.shows_published(device)) continue;
    const std::size_t identity = identity_row(row);
    for (const auto& [least, most] : published_batches()) {
      const std::string ending = fmt::format("_b{}_{}", least, most);
      numbers.push_back({.device = device,
                         .family = table.text(row, "family"),
                         .style = style_of_family(table.text(row, "family")),
                         .compiler = published_compiler(table.text(row, "compiler")),
                         .is_identity = identity == row,
                         .batch_sizes = fmt::format("{}-{}", least, most),
                         .first_batch = least,
                         .batch = std::sqrt(least * most),
                         .throughput_per_s = table.number(row, "throughput" + ending),
                         .throughput_std_per_s = table.number(row, "throughput" + ending + "_std"),
                         .cpu_percent = table.number(row, "cpu_percent" + ending),
                         .cpu_std_percent = table.number(row, "cpu_percent" + ending + "_std"),
                         .identity_per_s = table.number(identity, "throughput" + ending),
                         .identity_cpu_percent = table.number(identity, "cpu_percent" + ending)});
    }
  }
  return numbers;
}

Row row_of(const PublishedNumber& number, std::string panel, std::string column) {
  return {{"panel", std::move(panel)},    {"column", std::move(column)}, {"device", number.device},
          {"model_group", number.family}, {"model_style", number.style}, {"batch_sizes", number.batch_sizes},
          {"batch", number.batch},        {"compiler", number.compiler}};
}

}  // namespace ngb::paper::figures
