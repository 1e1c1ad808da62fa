// SPDX-License-Identifier: Apache-2.0
#include "settings.h"

#include "../plugin_options.h"
#include "compiler_json.h"

namespace ngb::tvm {
namespace {

std::int64_t at_least_0(const plugin::Options& options, const std::string& name) {
  const std::int64_t value = options.integer(name);
  if (value >= 0) return value;
  throw plugin::Failure(NGB_INVALID_OPTION,
                        "tvm: option \"" + name + "\" is " + std::to_string(value) + ", expected 0 or more");
}

}  // namespace

const char* description() { return kCompilerJson; }

Settings read_settings(const ngb_settings& given) {
  plugin::check_common("tvm", given);
  const plugin::Options options(kCompilerJson, given);
  Settings settings;
  settings.toolchain_dir = given.toolchain_dir;
  settings.cache_dir = given.cache_dir;
  settings.threads = given.threads;
  settings.trials = at_least_0(options, "trials");
  settings.early_stop = at_least_0(options, "early_stop");
  settings.seed = at_least_0(options, "seed");
  return settings;
}

}  // namespace ngb::tvm
