// SPDX-License-Identifier: Apache-2.0
// Computes the metrics of results whose cells fit into memory together.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "metrics/families.h"
#include "store/merge.h"
#include "store/store.h"

namespace ngb::metrics {

// Cells with their values, all in memory.
struct Derived : Heading {
  std::vector<store::CellData> cells{};  // without what drop_details removes
  std::vector<store::DerivedValue> values{};
  std::vector<Steady> steady{};  // of each cell
};

// More cells than this are read family by family where that is possible: all of them take about 15 kB each in memory.
inline constexpr std::size_t kMostCellsInMemory = 20'000;

// Returns the values of all cells, in the order of the study. They refer to the baseline of the last study that wrote
// to the last file, or to `baseline` if it is given. Returns an error if a file cannot be read, or if `baseline` names
// no compiler of it (with the code `not_found`).
Result<Derived> derive(const std::vector<store::Source>& sources, int threads,
                       const std::optional<std::string>& baseline = {});
// Returns those of the cells of these families.
Result<Derived> derive(FamilyReader& reader, std::span<const store::ValueFamily> families, int threads);

}  // namespace ngb::metrics
