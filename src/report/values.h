// SPDX-License-Identifier: Apache-2.0
// Finds derived values by cell and metric.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "store/store.h"

namespace ngb::report {

class Values {
 public:
  // `derived` must outlive this object.
  explicit Values(const std::vector<store::DerivedValue>& derived);

  // Returns null if there is no such value.
  [[nodiscard]] const store::DerivedValue* find(std::string_view cell_id, std::string_view metric) const;
  // A raised flag of a cell. `flag` is "spread" for the value "flag_spread".
  struct Raised {
    std::string_view flag{};
    double value = 0;  // the value that raised it
  };
  [[nodiscard]] std::vector<Raised> flags(std::string_view cell_id) const;

 private:
  std::unordered_map<std::string_view, std::vector<const store::DerivedValue*>> by_cell_;
};

enum class Status { measured, partial, failed, disturbed, planned };
std::string_view name(Status status);
Status status_of(const store::CellData& cell);

}  // namespace ngb::report
