// SPDX-License-Identifier: Apache-2.0
// Identifies what the values of a family are made of: kept values are used only while that is the same.
#pragma once

#include <map>
#include <span>
#include <string>

#include "metrics/baseline.h"
#include "store/store.h"

namespace ngb::metrics {

// Returns SHA-256 over the formulas, the baseline, the highest clock frequency of the family's device, and everything
// that is recorded of its cells and that their values depend on: of a process, what tells it apart, because a recorded
// process never changes. The cells are those of one family, with any detail from `outline` on, and give the same text
// with each. `highest_hz` has the highest clock frequency of each device, if one is known.
std::string made_of(std::span<const store::CellData* const> cells, const Baseline& baseline,
                    const std::map<std::string, double>& highest_hz);
std::string made_of(std::span<const store::CellData> cells, const Baseline& baseline,
                    const std::map<std::string, double>& highest_hz);

}  // namespace ngb::metrics
