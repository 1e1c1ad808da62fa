// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../plugin_options.h"
#include "../plugin_settings.h"

namespace ngb::xla {

struct Settings : plugin::Settings {
  Settings(const ngb_settings& given, const plugin::Options& options)
      : plugin::Settings(given), uses_xnnpack(options.flag("xnnpack")), flags(plugin::settings_json(given)) {}

  bool uses_xnnpack;
  nlohmann::json flags;  // that the study hands on: an object
};

}  // namespace ngb::xla
