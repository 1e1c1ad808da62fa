// SPDX-License-Identifier: Apache-2.0
// The table of `ngb show`, made of results that come in parts, in any order: a row takes about 200 bytes until it is
// printed.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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

  // The metrics that results need a value of.
  [[nodiscard]] std::vector<const metrics::Metric*> needed_metrics() const;

  // Adds the selected cells. `positions` has the place of each among all cells; without it they are those of all
  // results. The results are not referred to afterwards.
  void add(const Results& results, std::span<const std::size_t> positions = {});
  // Adds all that another table of the same options and baseline holds.
  void append(TextTable other);

  [[nodiscard]] const std::set<std::string>& devices() const { return devices_; }

  // Calls `write` with the text, piece by piece: a section for each device, model and batch size in the order of the
  // first cells, with a row for each compiler; then the notes. `differences` are those of the table's devices.
  using Write = std::function<void(std::string_view)>;
  void print(const std::vector<EnvironmentDifference>& differences, const std::string& allocator, const Write& write);

 private:
  struct PackedSection {
    std::size_t position = 0;         // of its first cell
    std::string title{};              // visible
    std::string device{};             // compute device of all rows, visible; "": rows differ
    std::vector<std::string> rows{};  // packed
  };
  void add_section(const Results& results, std::span<const store::CellData* const> cells,
                   std::span<const std::size_t> positions);
  std::string packed_row(const Results& results, const store::CellData& cell, std::size_t position, std::string label,
                         const std::string& device);
  [[nodiscard]] Row number_row(const Results& results, const store::CellData& cell, std::string label) const;
  std::string flags_of(const Results& results, const store::CellData& cell);
  void add_failure(const store::CellData& cell, std::size_t position);
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
  std::vector<PackedSection> sections_{};
  std::vector<std::pair<std::size_t, Section>> best_options_{};  // with the position of a cell of the same family
  bool names_identity_ = false;
  std::set<std::string> devices_{};
  std::set<std::string> compute_devices_{};  // those that are known
  ColumnsInUse columns_in_use_{};
  std::optional<work::Rounds> rounds_{};
  std::array<int, 5> counts_{};                    // by Status
  std::map<std::string, int> flags_{};             // how many cells have each
  std::map<std::size_t, std::string> failures_{};  // the first notes by position
  std::size_t failure_count_ = 0;
  std::map<std::string, int> remarks_{};  // how many cells have each of cell_remarks
};

}  // namespace ngb::report
