// SPDX-License-Identifier: Apache-2.0
// Finds values by cell and metric.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "store/store.h"

namespace ngb::report {

class Values {
 public:
  // `derived` must outlive it.
  explicit Values(const std::vector<store::DerivedValue>& derived);

  // Null when there is none.
  [[nodiscard]] const store::DerivedValue* find(std::string_view cell_id, std::string_view metric) const;
  // The flags of a cell: "spread" for the value "flag_spread".
  struct Raised {
    std::string_view flag{};
    double value = 0;  // what raised it
  };
  [[nodiscard]] std::vector<Raised> flags(std::string_view cell_id) const;

 private:
  std::unordered_map<std::string_view, std::vector<const store::DerivedValue*>> by_cell_;
};

enum class Status { measured, partial, failed, planned };
std::string_view name(Status status);
Status status_of(const store::CellData& cell);

}  // namespace ngb::report
