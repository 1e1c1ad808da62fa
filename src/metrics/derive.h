// SPDX-License-Identifier: Apache-2.0
// Computes the metrics of a results file once and keeps them in the file, family by family.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "metrics/baseline.h"
#include "metrics/families.h"
#include "store/merge.h"
#include "store/store.h"

namespace ngb::metrics {

// Cells with their values, all in memory.
struct Derived : Heading {
  std::vector<store::CellData> cells{};  // outlines (store.h), or what drop_details leaves of them
  std::vector<store::DerivedValue> values{};
  std::vector<Steady> steady{};  // of each cell; empty if the values of any family were kept (add_steady)
  std::size_t computed = 0;      // families whose values were computed now; those of the others were kept
  bool is_whole = true;          // false: only a part of the results' families
};

// More cells than this are read family by family where that is possible: all of them take about 15 kB each in memory.
inline constexpr std::size_t kMostCellsInMemory = 20'000;

// Returns the values of all families: those that the file keeps and of which nothing was recorded since, and the others
// computed, which are kept if the file is writable and no other process writes it. The values refer to the baseline of
// the last study that wrote to the file, or to `baseline` if it is given; values for another baseline than the study's
// are always computed and never kept. Returns an error if the file cannot be read, or if `baseline` names no compiler
// of it (with the code `not_found`).
Result<Derived> derive(const std::filesystem::path& results_file, int threads,
                       const std::optional<std::string>& baseline = {});
// The same for several results files that are read as one (store::open_sources). The baseline is that of the last
// file's study. Values are loaded and kept only in one file that is read as it is.
Result<Derived> derive(const std::vector<store::Source>& sources, int threads,
                       const std::optional<std::string>& baseline = {});
// The same for results that are open. Cells whose values were kept are loaded with this detail.
Result<Derived> derive(FamilyReader reader, int threads, store::Detail detail = store::Detail::outline);
// Derives a family of results that a run records into, and keeps its values. `highest_hz` has the highest clock
// frequency of each device, if one is known; if that of the whole file differs, the values count as out of date. Waits
// for a reader as long as the store is patient. Returns an error if the family cannot be read or its values cannot be
// kept; recorded results that are durable stay as they are.
Status derive_and_keep(store::Store& results, const Baseline& baseline, const store::ValueFamily& family,
                       const std::map<std::string, double>& highest_hz);
// Derives only these families of the results, in their order. The values are neither read from the file nor kept.
Result<Derived> derive_part(FamilyReader& reader, const std::vector<store::ValueFamily>& families, int threads);
// Loads what was measured of the cells once more if some values were kept, so that each has its Steady. Cells that a
// run has recorded meanwhile are not added. Returns an error if the results cannot be read.
Status add_steady(const std::vector<store::Source>& sources, int threads, Derived& derived);

// Identifies the data from which the values of a family follow. Kept values are used only while it is the same.

// Returns SHA-256 over the formulas, the baseline, the highest clock frequency of the family's device, and the recorded
// data of its cells on which their values depend. A recorded process never changes, so its identity is enough. `cells`
// are all cells of a family. They may be loaded with any detail from `outline` on, and the result is the same.
// `highest_hz` has the highest clock frequency of each device, if one is known.
std::string made_of(std::span<const store::CellData* const> cells, const Baseline& baseline,
                    const std::map<std::string, double>& highest_hz);
std::string made_of(std::span<const store::CellData> cells, const Baseline& baseline,
                    const std::map<std::string, double>& highest_hz);

}  // namespace ngb::metrics
