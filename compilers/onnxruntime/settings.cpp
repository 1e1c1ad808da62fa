// SPDX-License-Identifier: Apache-2.0
#include "settings.h"

#include "../plugin_options.h"
#include "compiler_json.h"

namespace ngb::onnxruntime {

const char* description() { return kCompilerJson; }

Settings read_settings(const ngb_settings& given) {
  const plugin::Options options(kCompilerJson, given);
  Settings settings;
  settings.toolchain_dir = given.toolchain_dir;
  settings.threads = given.threads;
  settings.graph_optimization = options.text("graph_optimization");
  settings.is_spinning = options.flag("spinning");
  settings.provider = options.text("provider");
  settings.includes_transfer = options.flag("include_transfer");
  settings.may_fall_back = options.flag("allow_fallback");
  return settings;
}

}  // namespace ngb::onnxruntime
