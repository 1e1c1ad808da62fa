// SPDX-License-Identifier: Apache-2.0
// Writes the entries of a study as JSON, as they would appear in a study file.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "config/study.h"
#include "work/load.h"

namespace ngb::config {

// Returns an entry of `loads`: "none", or {"cpu": "50%", …} without the keys that have their defaults.
nlohmann::json load_json(const work::Load& load);

// Returns the same as work::Load::name has it: "memory: 4 GB/s, processors: [0, 1]".
std::string name_of_load(const work::Load& load);

// Returns an entry of `models`, with absolute paths.
nlohmann::json model_json(const ModelEntry& model);

}  // namespace ngb::config
