// SPDX-License-Identifier: Apache-2.0
// Writes a load as an entry of a study's `loads`, and names it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "work/load.h"

namespace ngb::config {

// Returns "none", or {"cpu": "50%", …} without the keys that have their defaults.
nlohmann::json load_json(const work::Load& load);

// Returns the same as work::Load::name has it: "memory: 4 GB/s, processors: [0, 1]".
std::string name_of_load(const work::Load& load);

}  // namespace ngb::config
