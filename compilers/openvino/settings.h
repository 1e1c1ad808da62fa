// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cctype>
#include <string>

#include "../plugin_settings.h"
#include "ngraphbench/plugin_options.h"

namespace ngb::openvino {

struct Settings : plugin::Settings {
  Settings(const ngb_settings& given, const plugin::Options& options)
      : plugin::Settings(given),
        device(options.text("device")),
        performance_hint(options.text("performance_hint")),
        has_cpu_pinning(options.flag("cpu_pinning")),
        properties(plugin::library_settings(given)) {
    std::transform(device.begin(), device.end(), device.begin(), [](unsigned char c) { return std::toupper(c); });
  }

  std::string device;  // OpenVINO's name: "CPU", "GPU", "NPU", "AUTO"
  std::string performance_hint;
  bool has_cpu_pinning;
  plugin::LibrarySettings properties;  // that the study hands on
};

}  // namespace ngb::openvino
