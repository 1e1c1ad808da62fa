// SPDX-License-Identifier: Apache-2.0
// Cells with what several metrics need: steady repetitions, neighbours, resamples. Built once, then only read.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "metrics/outcome.h"
#include "samples/known.h"
#include "store/store.h"

namespace ngb::metrics {

class Analysis {
 public:
  // The cells must outlive the Analysis. Holds 80 kB of resamples for each cell: for many cells, see `families`.
  explicit Analysis(std::vector<const store::CellData*> cells);

  [[nodiscard]] std::size_t size() const { return cells_.size(); }
  [[nodiscard]] const store::CellData& cell(std::size_t index) const { return *cells_[index]; }
  [[nodiscard]] const Steady& steady(std::size_t index) const { return facts_[index].steady; }
  // Processor use of the timed phase for each process, in processors (1.5: one and a half of them were busy).
  [[nodiscard]] const samples::Known<std::vector<double>>& busy_cpus(std::size_t index) const {
    return facts_[index].busy_cpus;
  }
  // kResamples means of throughput and of busy_cpus; empty where there is no interval.
  [[nodiscard]] std::span<const double> throughput_resamples(std::size_t index) const {
    return facts_[index].throughput_resamples;
  }
  [[nodiscard]] std::span<const double> cpu_resamples(std::size_t index) const { return facts_[index].cpu_resamples; }

  // The cell of the identity with the same device, model, batch, threads and precision; where a study has several
  // versions of the identity, the first one in the study. The identity is its own.
  [[nodiscard]] std::optional<std::size_t> identity_of(std::size_t index) const { return facts_[index].identity; }
  // The cell of the same compiler at batch 1.
  [[nodiscard]] std::optional<std::size_t> single_of(std::size_t index) const { return facts_[index].single; }
  // Of the same compiler's cells at other settings (options, threads, version), with the same device, model, batch and
  // precision: the one with the highest mean throughput.
  [[nodiscard]] std::optional<std::size_t> best_other_of(std::size_t index) const { return facts_[index].best_other; }

 private:
  struct Facts {
    Steady steady{};
    samples::Known<std::vector<double>> busy_cpus{};
    std::vector<double> throughput_resamples{};
    std::vector<double> cpu_resamples{};
    std::optional<std::size_t> identity{};
    std::optional<std::size_t> single{};
    std::optional<std::size_t> best_other{};
  };
  void find_best_others();

  std::vector<const store::CellData*> cells_;
  std::vector<Facts> facts_;
};

// The cells (as indices) that metrics may relate to each other: one device, model and precision. In the order of their
// first cells.
std::vector<std::vector<std::size_t>> families(const std::vector<store::CellData>& cells);

}  // namespace ngb::metrics
