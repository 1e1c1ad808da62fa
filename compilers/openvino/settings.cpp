// SPDX-License-Identifier: Apache-2.0
#include "settings.h"

#include "../plugin_options.h"
#include "compiler_json.h"

namespace ngb::openvino {

const char* description() { return kCompilerJson; }

Settings read_settings(const ngb_settings& given) {
  plugin::check_common("openvino", given);
  const plugin::Options options(kCompilerJson, given);
  Settings settings;
  settings.toolchain_dir = given.toolchain_dir;
  settings.threads = given.threads;
  settings.performance_hint = options.text("performance_hint");
  settings.has_cpu_pinning = options.flag("cpu_pinning");
  return settings;
}

}  // namespace ngb::openvino
