// SPDX-License-Identifier: Apache-2.0
// Measures a cell once more, on this machine and by itself.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "campaign/installation.h"
#include "campaign/observer.h"
#include "campaign/refusal.h"
#include "store/store.h"

namespace ngb::exports {

// How long the process measures.
struct Extent {
  int repetitions = 1;  // of one inference each
  bool warms_up = false;
};

// Measures one process of the only cell of `study`, alone, into the new results folder `results`. Returns the cell with
// all that was measured of it, or why it failed.
campaign::Answer<store::CellData> measure_once(const campaign::Installation& installation, nlohmann::json study,
                                               const Extent& extent, const std::filesystem::path& results,
                                               campaign::Observer& observer);

}  // namespace ngb::exports
