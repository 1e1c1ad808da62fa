// SPDX-License-Identifier: Apache-2.0
#include "settings.h"

#include "../plugin_options.h"
#include "compiler_json.h"

namespace ngb::executorch {

const char* description() { return kCompilerJson; }

Settings read_settings(const ngb_settings& given) {
  const plugin::Options options(kCompilerJson, given);
  Settings settings;
  settings.toolchain_dir = given.toolchain_dir;
  settings.threads = given.threads;
  settings.has_xnnpack = options.text("delegate") == "xnnpack";
  settings.is_profiled = given.is_profiled != 0;
  return settings;
}

}  // namespace ngb::executorch
