// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../plugin_options.h"

namespace ngb::litert {

struct Settings : plugin::Settings {
  Settings(const ngb_settings& given, const plugin::Options& options)
      : plugin::Settings(given), has_delegate(options.text("delegate") == "xnnpack") {}

  bool has_delegate;
};

}  // namespace ngb::litert
