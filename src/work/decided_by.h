// SPDX-License-Identifier: Apache-2.0
// What ends rounds in the place of the speed.
#pragma once

#include <string>

#include "base/record.h"

namespace ngb::work {

// How the metric that ends rounds (Protocol::metric) compares two processes; the row of the metric says it.
struct DecidedBy {
  std::string metric{};  // one of samples/process_numbers.h
  bool is_higher_better = false;
  bool is_difference = false;  // of two processes, because it may be 0; else the logarithm of their ratio
  double margin = 0;           // two sides are the same within ± this, or within 1 ± this ratio

  static constexpr auto fields(auto visit) {
    return visit(Field{"metric", &DecidedBy::metric}, Field{"is_higher_better", &DecidedBy::is_higher_better},
                 Field{"is_difference", &DecidedBy::is_difference}, Field{"margin", &DecidedBy::margin});
  }
};

}  // namespace ngb::work
