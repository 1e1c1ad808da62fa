// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "ngraphbench/plugin_options.h"

namespace ngb::null_compiler {

struct Settings : plugin::Settings {
  Settings(const ngb_settings& given, const plugin::Options& options)
      : plugin::Settings(given),
        run_ns(options.integer("run_ns")),
        made_up_ns(options.integer("made_up_ns")),
        made_up_first_ns(options.integer("made_up_first_ns")),
        compile_ns(options.integer("compile_ns")),
        load_ns(options.integer("load_ns")),
        memory_bytes(static_cast<std::uint64_t>(options.integer("memory_bytes"))),
        leak_bytes(static_cast<std::uint64_t>(options.integer("leak_bytes"))),
        leak_inferences(options.integer("leak_inferences")),
        session_leak_bytes(static_cast<std::uint64_t>(options.integer("session_leak_bytes"))),
        spins_all_threads(options.flag("spin_threads")),
        kernels(options.text("kernels")),
        fault(options.text("fault")),
        fault_phase(options.text("fault_phase")),
        fault_process(options.integer("fault_process")),
        fault_attempt(options.integer("fault_attempt")) {}

  std::int64_t run_ns;
  std::int64_t made_up_ns;
  std::int64_t made_up_first_ns;
  std::int64_t compile_ns;
  std::int64_t load_ns;
  std::uint64_t memory_bytes;
  std::uint64_t leak_bytes;
  std::int64_t leak_inferences;
  std::uint64_t session_leak_bytes;
  bool spins_all_threads;
  std::string kernels;
  std::string fault;
  std::string fault_phase;
  std::int64_t fault_process;
  std::int64_t fault_attempt;
};

}  // namespace ngb::null_compiler
