// SPDX-License-Identifier: Apache-2.0
// Sets and clears the builder flags that a study hands on.
#pragma once

#include <NvInfer.h>

#include <nlohmann/json.hpp>
#include <string>

#include "ngraphbench/plugin_boundary.h"

namespace ngb::tensorrt {

// `flags` has names without their k ("SPARSE_WEIGHTS") and true or false. Returns what the configuration reports of
// them afterwards. Throws plugin::Failure(NGB_INVALID_OPTION) for a name that library `version` does not know.
plugin::Facts hand_on_flags(nvinfer1::IBuilderConfig& config, const nlohmann::json& flags, const std::string& version);

}  // namespace ngb::tensorrt
