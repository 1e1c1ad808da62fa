// SPDX-License-Identifier: Apache-2.0
// The table of `ngb show`, made of results that come in parts: a row takes about 1 kB until it is printed.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "report/columns.h"
#include "report/environments.h"
#include "report/show/show.h"
#include "report/write/text.h"

namespace ngb::report {

class TextTable {
 public:
  // All results refer to this baseline.
  TextTable(const ShowOptions& options, const metrics::Baseline& baseline);

  // Adds the selected cells below those that were added before. The results are not referred to afterwards.
  void add(const Results& results);

  // Prints the text, piece by piece: a section for each device, model and batch size in the order of the first cells,
  // with a row for each compiler; then the notes. `differences` are those of the table's devices.
  void print(const std::vector<EnvironmentDifference>& differences, const std::string& allocator,
             const Print& print) const;

 private:
  struct DeviceRow {
    TextRow row{};
    std::string device{};  // compute device, visible; "": that of the section
  };
  struct DeviceSection {
    std::string title{};   // visible
    std::string device{};  // compute device of all rows, visible; "": rows differ
    std::vector<DeviceRow> rows{};
    std::string below{};  // a line; "": none
  };
  void add_section(const Results& results, std::span<const store::CellData* const> cells);
  std::string shares_of_reading(const Results& results, std::span<const store::CellData* const> cells);
  DeviceRow text_row_of(const Results& results, const store::CellData& cell, std::string label, std::string device);
  [[nodiscard]] Row number_row(const Results& results, const store::CellData& cell, std::string label) const;
  std::string flags_of(const Results& results, const store::CellData& cell);
  void add_failure(const store::CellData& cell);
  [[nodiscard]] std::string notes(const std::vector<std::string>& left_out,
                                  const std::vector<EnvironmentDifference>& differences,
                                  const std::string& allocator) const;
  [[nodiscard]] std::string explanation_of_flags() const;
  [[nodiscard]] std::string counts() const;

  ShowOptions options_;
  std::vector<NumberColumn> columns_;
  std::vector<Column> described_;  // of people: compiler, columns_, flags
  TextLayout layout_;
  int widest_label_with_device_ = 0;
  std::vector<DeviceSection> sections_{};
  std::vector<Section> best_options_{};
  bool names_identity_ = false;
  std::set<std::string> compute_devices_{};  // those that are known
  ColumnsInUse columns_in_use_{};
  std::optional<work::Rounds> rounds_{};
  std::array<int, 5> counts_{};          // by Status
  std::map<std::string, int> flags_{};   // how many cells have each
  std::vector<std::string> failures_{};  // the first notes
  std::size_t failure_count_ = 0;
  std::map<std::string, int> remarks_{};  // how many cells have each of cell_remarks
};

}  // namespace ngb::report
