// SPDX-License-Identifier: Apache-2.0
// Reads results family by family and computes their metrics, in memory that does not grow with the results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "metrics/analysis.h"
#include "metrics/goal.h"
#include "metrics/judging.h"
#include "metrics/metric.h"
#include "metrics/outcome.h"
#include "store/merge.h"

namespace ngb::metrics {

// Unless the study says otherwise (its key `size_factor`).
inline constexpr double kSizeFactor = 1.5;

// What is known of results before their cells are read.
struct Heading {
  bool asks_best_options = false;    // the last study that wrote to the file asks for them
  double size_factor = kSizeFactor;  // two models of this or a smaller one are alike in size
  Baseline baseline{};               // to which the values refer
  Judged by{};                       // by which the answer says what is best
  Goal goal{};                       // of the last study
  std::vector<store::MeasuredEnvironment> environments{};
  std::string allocator{};    // of the results' protocol; "" for the C library's defaults
  std::int64_t revision = 0;  // of the file that the cells are read from
};

// A family with everything that was measured of it, and its values.
struct DerivedFamily {
  const store::ValueFamily* family = nullptr;
  std::vector<store::CellData> cells{};                    // in the order of the family
  std::vector<Steady> steady{};                            // of each cell
  std::vector<std::vector<store::DerivedValue>> values{};  // of each cell, as compute_family returns them
};

// Removes from a cell what is no longer needed once its Steady and its values are known, so that many cells fit into
// memory. Phases, facts, failures and readings of the GPU of its processes stay.
void drop_details(store::CellData& cell);

// Reads results of one or several files (store::open_sources). An object is used by one thread.
class FamilyReader {
 public:
  // The values refer to the baseline of the last study that wrote to the last file, or to `baseline` if it is given.
  // The answer is given by `metric`, as parse_judged reads it; without it, by that of the last study, or by the
  // speed. Returns an error if a file cannot be read, if `baseline` names no compiler of it or
  // `metric` is none by which an answer can be given (with the code `not_found`).
  static Result<FamilyReader> open(const std::vector<store::Source>& sources,
                                   const std::optional<std::string>& baseline = {}, const std::string& metric = {});

  [[nodiscard]] const Heading& heading() const { return heading_; }
  [[nodiscard]] const std::vector<store::Source>& sources() const { return sources_; }
  // In the order of their first cells.
  [[nodiscard]] const std::vector<store::ValueFamily>& families() const { return families_; }
  [[nodiscard]] std::size_t cell_count() const { return cell_count_; }
  [[nodiscard]] store::Store& results() { return store_; }

  // Loads families with everything that was measured, computes the values of these metrics and of all flags, and calls
  // `use` with each family, in their order. Up to `threads` threads, at most four, load and compute; `use` is called by
  // one at a time. Returns the first error; then the families from there on were left out.
  using UseFamily = std::function<void(DerivedFamily family)>;
  Status derive(std::span<const store::ValueFamily> families, std::span<const Metric* const> metrics, int threads,
                const UseFamily& use);

 private:
  FamilyReader(store::Store store, std::vector<store::Source> sources)
      : store_(std::move(store)), sources_(std::move(sources)) {}

  store::Store store_;
  std::vector<store::Source> sources_;
  Heading heading_{};
  std::vector<store::ValueFamily> families_{};
  std::size_t cell_count_ = 0;
};

// Computes the values of the cells of one family. A metric that throws, or is not finite, has a reason and no value.

// Returns the values of each cell of the analysis: those of the metrics, in their order, then the raised flags, named
// "flag_<name>". `highest_hz` has the highest clock frequency of each device, if one is known.
std::vector<std::vector<store::DerivedValue>> compute_family(const Analysis& analysis,
                                                             std::span<const Metric* const> metrics,
                                                             const std::map<std::string, double>& highest_hz);

// Returns the whole table, in its order.
std::vector<const Metric*> all_metrics();

}  // namespace ngb::metrics
