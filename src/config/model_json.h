// SPDX-License-Identifier: Apache-2.0
// An entry of models as a study file would have it, paths made absolute.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "config/study.h"

namespace ngb::config {

nlohmann::json model_json(const ModelEntry& model);

}  // namespace ngb::config
