// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInfer.h>

#include <optional>
#include <string>

#include "../plugin_settings.h"
#include "ngraphbench/plugin_options.h"

namespace ngb::tensorrt {

struct Settings : plugin::Settings {
  Settings(const ngb_settings& given, const plugin::Options& options)
      : plugin::Settings(given),
        builder_optimization_level(static_cast<int>(options.integer("builder_optimization_level"))),
        workspace_bytes(static_cast<std::size_t>(options.integer("workspace_bytes"))),
        has_timing_cache(options.flag("timing_cache")),
        uses_graph(options.flag("cuda_graph")),
        includes_transfer(options.flag("include_transfer")),
        wait(options.text("wait")),
        flags(plugin::settings_json(given)) {}

  int builder_optimization_level;
  std::size_t workspace_bytes;  // 0: all that is free
  bool has_timing_cache;
  bool uses_graph;
  bool includes_transfer;
  std::string wait;      // for the GPU
  nlohmann::json flags;  // of the builder, that the study hands on: an object
};

// Returns the builder's flag that permits a precision. There is none for f32, and none in some versions of TensorRT.
std::optional<nvinfer1::BuilderFlag> flag_of(const std::string& precision);
// Throws plugin::Failure(NGB_INVALID_OPTION) if library `version` has no flag for the precision.
void check_precision(const Settings& settings, const std::string& version);

}  // namespace ngb::tensorrt
