// SPDX-License-Identifier: Apache-2.0
// Holds what several metrics need of each cell: its steady repetitions and the cells that it is compared with.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "metrics/baseline.h"
#include "metrics/outcome.h"
#include "metrics/settings.h"
#include "statistics/statistics.h"
#include "store/store.h"

namespace ngb::metrics {

class Analysis {
 public:
  // The cells must outlive the Analysis. `given` has the Steady of each cell, which must outlive it too; if it is
  // empty, the cells have their repetitions.
  explicit Analysis(std::vector<const store::CellData*> cells, Baseline baseline = {},
                    std::vector<const Steady*> given = {});
  // It has pointers to what it owns.
  Analysis(const Analysis&) = delete;
  Analysis& operator=(const Analysis&) = delete;
  Analysis(Analysis&&) = default;
  Analysis& operator=(Analysis&&) = default;
  ~Analysis() = default;

  [[nodiscard]] std::size_t size() const { return cells_.size(); }
  [[nodiscard]] const store::CellData& cell(std::size_t index) const { return *cells_[index]; }
  [[nodiscard]] const Steady& steady(std::size_t index) const { return *steady_[index]; }
  // Returns how many processors each process kept busy in its timed phase (1.5: one and a half).
  [[nodiscard]] const Known<std::vector<OfRound>>& busy_cpus(std::size_t index) const {
    return related_[index].busy_cpus;
  }
  // Returns the cell to which the cell's speed-up refers (baseline.h). It may be the cell itself.
  [[nodiscard]] std::optional<std::size_t> baseline_of(std::size_t index) const { return baselines_.of(index); }
  // Returns why there is no such cell; "" if there is one.
  [[nodiscard]] const std::string& why_no_baseline(std::size_t index) const { return baselines_.why_none(index); }
  [[nodiscard]] const Baseline& baseline() const { return baseline_; }
  [[nodiscard]] const Settings& settings() const { return settings_; }
  // Returns the cell of the identity, and that of the identity's operators without Python (kWithoutPython), beside
  // which the cell was measured, by the rules for a baseline. Either may be the cell itself.
  [[nodiscard]] std::optional<std::size_t> identity_of(std::size_t index) const { return identities_.of(index); }
  [[nodiscard]] std::optional<std::size_t> without_python_of(std::size_t index) const {
    return without_python_.of(index);
  }
  // Returns the error rate of intervals (interval_error_rate), the same for all cells of a results file.
  [[nodiscard]] double error_rate() const {
    return cells_.empty() ? statistics::kErrorRate : interval_error_rate(*cells_.front());
  }
  // Returns the same compiler's cell at batch 1, under the same load, on the same compute device.
  [[nodiscard]] std::optional<std::size_t> single_of(std::size_t index) const { return related_[index].single; }
  // Returns the cell that differs from this one in having no load only.
  [[nodiscard]] std::optional<std::size_t> without_load(std::size_t index) const {
    return related_[index].without_load;
  }
  // Returns the cell that differs from this one in having one instance only.
  [[nodiscard]] std::optional<std::size_t> one_instance_of(std::size_t index) const {
    return related_[index].one_instance;
  }
  // Returns the cell of the exact model that differs from this cell of a variant in nothing else.
  [[nodiscard]] std::optional<std::size_t> exact_of(std::size_t index) const { return related_[index].exact; }
  // Returns the cell with the highest throughput (the geometric mean over processes) among the compiler's cells with
  // other settings: options and all else that the compiler is handed, threads, version. Device, compute device, model,
  // batch, load and precision are the same.
  [[nodiscard]] std::optional<std::size_t> best_other_of(std::size_t index) const { return related_[index].best_other; }

 private:
  // What is known of a cell from others of its family, as the functions above return it.
  struct RelatedCells {
    Known<std::vector<OfRound>> busy_cpus{};
    std::optional<std::size_t> single{};
    std::optional<std::size_t> without_load{};
    std::optional<std::size_t> one_instance{};
    std::optional<std::size_t> best_other{};
    std::optional<std::size_t> exact{};
  };
  void find_best_others();

  std::vector<const store::CellData*> cells_;
  Baseline baseline_;
  BaselineCells baselines_;
  BaselineCells identities_;
  BaselineCells without_python_;
  Settings settings_;
  std::vector<Steady> own_{};  // none if they were given
  std::vector<const Steady*> steady_;
  std::vector<RelatedCells> related_;
};

}  // namespace ngb::metrics
