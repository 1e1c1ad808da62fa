// SPDX-License-Identifier: Apache-2.0
// Notices processors that share a core, also where a rented machine hides it: its host shows each hyperthread as a
// core.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/topology.h"

namespace ngb::probe {

// Two processors that share a core.
struct SharedCore {
  int first = 0;
  int second = 0;
  // How fast the slower one computed while both did, over its speed alone; nothing: /sys says that they share one.
  std::optional<double> speed_ratio{};
};

// Returns for people that the two share a core, and what a study writes to use one of them.
std::string words_of(const SharedCore& shared);
std::string advice_on(const SharedCore& shared);

// Returns how fast each of these processors computes while all of them do: multiplications per second of its own
// processor time, in their order.
using Speeds = std::function<std::vector<double>(const std::vector<int>& busy)>;
// Measures it: a thread on each of them for 10 ms. A thread that could not be pinned has the speed 0.
std::vector<double> speeds_of(const std::vector<int>& busy);

// Returns two of these processors that /sys shows on one core.
std::optional<SharedCore> shared_as_told(const std::vector<LogicalProcessor>& processors);

// Returns two of these processors of which each computes at less than three quarters of its speed alone while both do,
// at every one of several tries: a core multiplies once in a cycle, whichever of its threads asks. Other programs only
// ever make processors slower, so the fastest try counts. Takes less than a second; nothing if no two are found.
std::optional<SharedCore> shared_as_measured(const std::vector<int>& processors, const Speeds& speeds = speeds_of);

}  // namespace ngb::probe
