// SPDX-License-Identifier: Apache-2.0
#include "settings.h"

#include "../plugin_options.h"
#include "compiler_json.h"

namespace ngb::xla {

const char* description() { return kCompilerJson; }

Settings read_settings(const ngb_settings& given) {
  const plugin::Options options(kCompilerJson, given);
  Settings settings;
  settings.toolchain_dir = given.toolchain_dir;
  settings.threads = given.threads;
  settings.uses_xnnpack = options.flag("xnnpack");
  settings.flags = plugin::settings_json(given);
  return settings;
}

}  // namespace ngb::xla
