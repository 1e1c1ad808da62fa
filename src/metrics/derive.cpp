// SPDX-License-Identifier: Apache-2.0
#include "metrics/derive.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "metrics/metric.h"

namespace ngb::metrics {
namespace {

// Joins the values of cells, which are in memory once while this goes on.
std::vector<store::DerivedValue> joined(std::vector<std::vector<store::DerivedValue>> by_cell) {
  std::size_t count = 0;
  for (const auto& of_cell : by_cell) count += of_cell.size();
  std::vector<store::DerivedValue> values;
  values.reserve(count);
  for (auto& of_cell : by_cell) {
    std::move(of_cell.begin(), of_cell.end(), std::back_inserter(values));
    release(of_cell);
  }
  return values;
}

}  // namespace

Result<Derived> derive(const std::vector<store::Source>& sources, int threads,
                       const std::optional<std::string>& baseline) {
  auto reader = FamilyReader::open(sources, baseline);
  if (!reader) return error_of(reader);
  return derive(*reader, reader->families(), threads);
}

Result<Derived> derive(FamilyReader& reader, std::span<const store::ValueFamily> families, int threads) {
  std::vector<std::size_t> positions;  // among all cells
  for (const store::ValueFamily& family : families) {
    for (const store::ValueFamily::Member& member : family.cells) positions.push_back(member.position);
  }
  std::sort(positions.begin(), positions.end());
  Derived derived{
      reader.heading(), std::vector<store::CellData>(positions.size()), {}, std::vector<Steady>(positions.size())};
  std::vector<std::vector<store::DerivedValue>> values(positions.size());
  const Status done = reader.derive(families, all_metrics(), threads, [&](DerivedFamily family) {
    for (std::size_t i = 0; i < family.cells.size(); ++i) {
      const auto found = std::lower_bound(positions.begin(), positions.end(), family.family->cells[i].position);
      const auto place = static_cast<std::size_t>(found - positions.begin());
      drop_details(family.cells[i]);
      derived.cells[place] = std::move(family.cells[i]);
      derived.steady[place] = std::move(family.steady[i]);
      values[place] = std::move(family.values[i]);
    }
  });
  if (!done) return error_of(done);
  derived.values = joined(std::move(values));
  return derived;
}

}  // namespace ngb::metrics
