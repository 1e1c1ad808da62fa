// SPDX-License-Identifier: Apache-2.0
#include "settings.h"

#include "../plugin_options.h"
#include "compiler_json.h"

namespace ngb::tvm {

const char* description() { return kCompilerJson; }

Settings read_settings(const ngb_settings& given) {
  const plugin::Options options(kCompilerJson, given);
  Settings settings;
  settings.toolchain_dir = given.toolchain_dir;
  settings.cache_dir = given.cache_dir;
  settings.is_on_gpu = options.text("device") == "cuda";
  settings.wait = options.text("wait");
  settings.threads = given.threads;
  settings.is_profiled = given.is_profiled != 0;
  settings.trials = options.integer("trials");
  settings.early_stop = options.integer("early_stop");
  settings.seed = options.integer("seed");
  settings.frontend = options.text("frontend");
  settings.pass_configuration = plugin::settings_json(given);
  return settings;
}

}  // namespace ngb::tvm
