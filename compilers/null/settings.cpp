// SPDX-License-Identifier: Apache-2.0
#include "settings.h"

#include "../plugin_options.h"
#include "compiler_json.h"

namespace ngb::null_compiler {
namespace {

std::int64_t at_least(const plugin::Options& options, const std::string& name, std::int64_t least) {
  const std::int64_t value = options.integer(name);
  if (value >= least) return value;
  throw plugin::Failure(NGB_INVALID_OPTION, "null: option \"" + name + "\" is " + std::to_string(value) +
                                                ", expected " + std::to_string(least) + " or more");
}

}  // namespace

const char* description() { return kCompilerJson; }

Settings read_settings(const ngb_settings& given) {
  plugin::check_common("null", given);
  const plugin::Options options(kCompilerJson, given);
  Settings settings;
  settings.run_ns = at_least(options, "run_ns", 0);
  settings.compile_ns = at_least(options, "compile_ns", 0);
  settings.memory_bytes = static_cast<std::uint64_t>(at_least(options, "memory_bytes", 0));
  settings.spins_all_threads = options.flag("spin_threads");
  settings.threads = given.threads;
  settings.fault = options.text("fault");
  settings.fault_phase = options.text("fault_phase");
  settings.fault_process = at_least(options, "fault_process", -1);
  settings.fault_attempt = at_least(options, "fault_attempt", 0);
  return settings;
}

}  // namespace ngb::null_compiler
