// SPDX-License-Identifier: Apache-2.0
// Selects what is shown of a results file: all of it, or the cells that pass filters.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "metrics/baseline.h"
#include "metrics/families.h"
#include "metrics/numbers.h"
#include "report/best_options.h"
#include "report/environments.h"
#include "report/status.h"

namespace ngb::report {

// The selected results. They point into the cells and values they were made from.
struct Results {
  std::vector<const store::CellData*> cells{};  // in the order of the study; may be outlines (store.h)
  metrics::Numbers numbers;
  std::vector<BestOptions> best_options{};  // of the selected cells' compilers, each chosen from all its settings
  metrics::Baseline baseline{};             // to which the values refer
  std::map<std::string, const store::CellData*> baseline_cells{};  // by the id of the selected cell; without it: none
  std::vector<EnvironmentDifference> differences{};     // between the descriptions of the selected cells' devices
  std::string allocator{};                              // "" for the C library's defaults, else as in the study
  std::vector<const store::SeriesValue*> series{};      // numbers that span cells: those about selected cells only
  std::vector<const store::Conclusion*> conclusions{};  // of all results, whichever are selected
  bool come_in_parts = false;  // there are too many cells for what all of them say together: the three are not known

  [[nodiscard]] const store::CellData* baseline_of(const store::CellData& cell) const;
};
Results all_results(const std::vector<store::CellData>& cells, const std::vector<store::DerivedValue>& derived,
                    const metrics::Baseline& baseline = {});

// Adds how the descriptions of the selected cells' devices differ.
void add_differences(Results& results, const std::vector<store::MeasuredEnvironment>& environments);

// Adds the numbers that span cells and the conclusions. `parts` must outlive the results.
void add_series(Results& results, const std::vector<store::SeriesPart>& parts);

// A filter of `ngb show`; the option is --NAME and may be repeated.
struct Filter {
  const char* name;                                                // "compiler"
  const char* meaning;                                             // for --help
  std::vector<std::string> (*words)(const store::CellData& cell);  // the cell passes if one of them is asked for
};
std::span<const Filter> filters();

// Decides which cells pass every filter, also of cells that come one after the other and without their processes.
class CellFilter {
 public:
  // `wanted` maps a filter's name to words; a cell passes if it has one of them, and a filter without words passes all
  // cells.
  explicit CellFilter(const std::map<std::string, std::vector<std::string>>& wanted);

  [[nodiscard]] bool is_of_all() const { return asked_.empty(); }
  [[nodiscard]] bool lets_through(const store::CellData& cell) const;
  // Does the same and remembers the cell's words for `check`.
  bool add(const store::CellData& cell);
  // Returns an error if a word fits none of the cells that were added (with the nearest word), or if none of them
  // passes. `of` is what has these cells, with its verb.
  [[nodiscard]] ngb::Status check(const std::string& of = "these results have") const;

 private:
  struct Asked {
    const Filter* filter = nullptr;
    std::vector<std::string> words{};
    std::set<std::string> known{};    // of all cells
    std::set<std::string> offered{};  // the first word of each cell
  };
  static bool lets_through(const Asked& asked, const std::vector<std::string>& words);

  std::vector<Asked> asked_{};  // the filters with words, in the order of the table
  std::size_t passed_ = 0;
};

// Families of which at least one cell passes.
struct PassingFamilies {
  std::vector<store::ValueFamily> families{};
  std::vector<std::size_t> passing{};  // cells of each
};
// Adds all cells of the results to `filter`, if it filters anything, and returns the families of those that pass.
Result<PassingFamilies> passing_families(metrics::FamilyReader& reader, CellFilter& filter);

// Returns the cells that pass, be it none. Finding the best options takes time; without them `best_options` is empty.
Results results_of(const std::vector<store::CellData>& cells, const std::vector<store::DerivedValue>& derived,
                   const CellFilter& filter, const metrics::Baseline& baseline, bool with_best_options);

// The cells of one family that pass, while results come family by family.
struct FamilyResults {
  Results results;
  std::vector<std::size_t> positions{};  // of the results' cells, among all cells
};
// Calls `use` with each of the families and all their values, in the order of the families. Finding the best options
// takes time; without them there are none. Returns the first error; then some families were left out.
using UseFamilyResults = std::function<void(const FamilyResults& part)>;
ngb::Status each_family(metrics::FamilyReader& reader, const std::vector<store::ValueFamily>& families,
                        const CellFilter& filter, bool with_best_options, const UseFamilyResults& use);

// Returns the cells that pass the filters. Returns the error of CellFilter::check.
Result<Results> passing_results(const std::vector<store::CellData>& cells,
                                const std::vector<store::DerivedValue>& derived,
                                const std::map<std::string, std::vector<std::string>>& wanted,
                                const metrics::Baseline& baseline = {});

}  // namespace ngb::report
