// SPDX-License-Identifier: Apache-2.0
// Every number that is shown of a cell: its metrics, its flags, and its speed over that of any other cell.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "metrics/metric.h"
#include "metrics/outcome.h"
#include "store/store.h"

namespace ngb::metrics {

// T of a cell over T of another one.
inline constexpr const char* kSpeedRatio = "speed_ratio";

// The form in which a number leaves this room. It points into the cells and the Numbers.
struct Number {
  std::optional<double> value{};
  std::optional<double> low{};  // 95 % interval, if it has one
  std::optional<double> high{};
  std::string reason{};                   // why there is no value
  std::string quantity{};                 // its name, with unit: that of a metric, of a series, kSpeedRatio
  const store::CellData* of = nullptr;    // the cell that it is about; null: none of these results
  const store::CellData* over = nullptr;  // the other cell of a ratio of two speeds; null: it is none
  std::span<const RaisedFlag> flags{};    // of `of`, in the table's order; they are the Numbers'
  std::span<const RaisedFlag> flags_of_over{};

  // Returns whether the interval of a ratio is wholly above 1, or wholly below it.
  [[nodiscard]] bool is_above_one() const { return low && *low > 1; }
  [[nodiscard]] bool is_below_one() const { return high && *high < 1; }
};

class Numbers {
 public:
  // `derived` must outlive this object.
  explicit Numbers(const std::vector<store::DerivedValue>& derived);
  // Adds the speeds of these cells, each with its Steady. Both must outlive this object.
  void add_speeds(std::span<const store::CellData> cells, std::span<const Steady> steady);

  // Returns the metric of the cell. Without such a value, the reason is "not measured yet".
  [[nodiscard]] Number of(const store::CellData& cell, std::string_view metric) const;

  // Returns why the cell's speed is in no ratio: it was not added, there is none, or it may be compared with no other.
  // Returns "" if it may be in one.
  [[nodiscard]] const std::string& why_no_ratio(const store::CellData& cell) const;
  // Returns T_cell / T_over as `ngb compare` does: of the rounds that both share, else of independent processes.
  [[nodiscard]] Number ratio(const store::CellData& cell, const store::CellData& over) const;

  // Returns the flags that the cell raises, in the table's order.
  [[nodiscard]] std::span<const RaisedFlag> flags(const store::CellData& cell) const;

 private:
  [[nodiscard]] const Steady& steady_of(const store::CellData& cell) const;

  std::unordered_map<std::string_view, std::vector<const store::DerivedValue*>> by_cell_{};
  std::unordered_map<std::string_view, std::vector<RaisedFlag>> flags_{};  // by cell
  std::span<const store::CellData> cells_{};
  std::span<const Steady> steady_{};  // of each cell
};

}  // namespace ngb::metrics
