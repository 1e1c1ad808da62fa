// SPDX-License-Identifier: Apache-2.0
// Compares each cell with the others of its workload: the same device, model and batch size. A cell whose speed is in
// no ratio (metrics/numbers.h) takes no part.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "report/figures/rows.h"

namespace ngb::report::figures {

class Workloads {
 public:
  // The selection must outlive this object.
  explicit Workloads(const Selection& selection);

  // Returns the cells of each workload.
  [[nodiscard]] std::vector<const std::vector<const store::CellData*>*> all() const;
  // Returns T / T of the workload's fastest cell, which is 1 for that cell; or the reason why there is no ratio.
  [[nodiscard]] Number ratio_to_best(const store::CellData& cell) const;
  // Returns whether a workload has at least two cells that take part.
  [[nodiscard]] bool compare_something() const;

 private:
  using Key = std::tuple<std::string, std::string, std::string, int>;
  struct Workload {
    std::vector<const store::CellData*> cells{};
    std::size_t compared = 0;
    Number best{};  // the highest throughput
  };
  [[nodiscard]] Key key_of(const store::CellData& cell) const;

  const Selection& selection_;
  std::map<Key, Workload> workloads_{};
};

}  // namespace ngb::report::figures
