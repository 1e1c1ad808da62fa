// SPDX-License-Identifier: Apache-2.0
// Tells the settings of the compilers of some results apart.
#pragma once

#include <set>
#include <span>
#include <string>

#include "store/store.h"

namespace ngb::metrics {

// A setting is a compiler with its version, its configuration (options, settings of its library, inferences in flight,
// instances), threads and precision. Two entries of a study that are equal in all of that, and differ in their labels
// only, are measured beside each other to see the noise: they are two settings.
class Settings {
 public:
  Settings() = default;
  // Knows the equal entries of these cells. The cells need not outlive it.
  explicit Settings(std::span<const store::CellData* const> cells);

  // Identifies the setting of a cell.
  [[nodiscard]] std::string of(const store::CellData& cell) const;
  // Returns the label of a cell whose entry has an equal one; else "".
  [[nodiscard]] std::string label_among_equals(const store::CellData& cell) const;

 private:
  std::set<std::string> several_{};  // entries that appear under several labels, without the label
};

}  // namespace ngb::metrics
