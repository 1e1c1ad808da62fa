// SPDX-License-Identifier: Apache-2.0
// Derives the values of cells while a run goes on, so that its end has less to do.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "metrics/baseline.h"
#include "samples/message.h"
#include "store/store.h"

namespace ngb::campaign {

// Keeps the values of each family in the results once all of its cells that a run measures are complete. Errors are
// ignored: whoever shows the results derives what is missing, and tells what cannot be read. Used by the thread that
// records.
class EarlyValues {
 public:
  // The run has begun in `results`, which must outlive this object. Of results with very many cells, nothing is
  // derived.
  explicit EarlyValues(store::Store& results);

  // Notes that something will be recorded of the cell.
  void expect(const std::string& cell_id);
  // Notes a process that was recorded. A flag refers to its clocks.
  void note(const std::string& device, const samples::ProcessResult& process);
  // Notes that nothing more will be recorded of an expected cell. Called once for a cell, when everything that was
  // recorded is durable. Derives the cell's family if it was the last one of it, which takes milliseconds.
  void complete(const std::string& cell_id);

 private:
  bool begin();

  store::Store* results_;
  metrics::Baseline baseline_{};
  std::vector<store::ValueFamily> families_{};
  std::vector<int> cells_left_{};                                  // of each family
  std::unordered_map<std::string, std::size_t> family_of_cell_{};  // empty: nothing is derived
  std::map<std::string, double> highest_hz_{};                     // of each device
};

}  // namespace ngb::campaign
