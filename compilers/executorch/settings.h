// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../plugin_options.h"

namespace ngb::executorch {

struct Settings : plugin::Settings {
  Settings(const ngb_settings& given, const plugin::Options& options)
      : plugin::Settings(given), has_xnnpack(options.text("delegate") == "xnnpack") {}

  bool has_xnnpack;
};

}  // namespace ngb::executorch
