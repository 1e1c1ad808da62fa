// SPDX-License-Identifier: Apache-2.0
#include "settings.h"

#include "../plugin_options.h"
#include "compiler_json.h"

namespace ngb::null_compiler {

const char* description() { return kCompilerJson; }

Settings read_settings(const ngb_settings& given) {
  const plugin::Options options(kCompilerJson, given);
  Settings settings;
  settings.run_ns = options.integer("run_ns");
  settings.made_up_ns = options.integer("made_up_ns");
  settings.compile_ns = options.integer("compile_ns");
  settings.memory_bytes = static_cast<std::uint64_t>(options.integer("memory_bytes"));
  settings.spins_all_threads = options.flag("spin_threads");
  settings.threads = given.threads;
  settings.in_flight = given.in_flight;
  settings.kernels = options.text("kernels");
  settings.fault = options.text("fault");
  settings.fault_phase = options.text("fault_phase");
  settings.fault_process = options.integer("fault_process");
  settings.fault_attempt = options.integer("fault_attempt");
  return settings;
}

}  // namespace ngb::null_compiler
