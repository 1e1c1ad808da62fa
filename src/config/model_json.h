// SPDX-License-Identifier: Apache-2.0
// Writes an entry of `models` as it would appear in a study file, with absolute paths.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "config/study.h"

namespace ngb::config {

nlohmann::json model_json(const ModelEntry& model);

}  // namespace ngb::config
