// SPDX-License-Identifier: Apache-2.0
// What the tables are made from: results, their devices' descriptions, and which of the paper's devices appear beside
// them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/settings.h"
#include "report/results.h"

namespace ngb::paper::tables {

using report::Results;

class Input {
 public:
  // `published`: names of published_devices(). The results, which hold their series (add_series), and the environments
  // must outlive this object.
  Input(const Results& results, const std::vector<store::MeasuredEnvironment>& environments,
        std::vector<std::string> published);

  [[nodiscard]] const Results& results() const { return results_; }
  [[nodiscard]] const std::vector<store::MeasuredEnvironment>& environments() const { return environments_; }
  [[nodiscard]] bool shows_published() const { return !published_.empty(); }
  [[nodiscard]] bool shows_published(std::string_view device) const;

  // Returns "local", "local (gpu)" or "local under cpu: 1".
  [[nodiscard]] std::string device(const store::CellData& cell) const;
  // Returns "openvino 2026.4.1"; with threads, precision and options if the results have several settings of that name.
  [[nodiscard]] std::string compiler(const store::CellData& cell) const;
  // Returns the first cell that the value is about. Null: it is not among the selected ones.
  [[nodiscard]] const store::CellData* first_cell(const store::SeriesValue& value) const;
  // Returns how many models the value is about, at whatever batch sizes, of the selected cells.
  [[nodiscard]] std::size_t models(const store::SeriesValue& value) const;

 private:
  const Results& results_;
  const std::vector<store::MeasuredEnvironment>& environments_;
  std::vector<std::string> published_;
  metrics::Settings settings_;
  std::map<std::string, std::string> names_{};  // of settings
  std::map<std::string_view, const store::CellData*> cells_{};
};

}  // namespace ngb::paper::tables
