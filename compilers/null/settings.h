// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "ngraphbench/compiler.h"

namespace ngb::null_compiler {

// Returns the JSON text of compiler.json.
const char* description();

struct Settings {
  std::int64_t run_ns = 0;
  std::int64_t made_up_ns = 0;
  std::int64_t compile_ns = 0;
  std::uint64_t memory_bytes = 0;
  bool spins_all_threads = false;
  int threads = 1;
  int in_flight = 1;  // 0: as many as threads
  std::string kernels{};
  std::string fault{};
  std::string fault_phase{};
  std::int64_t fault_process = -1;
  std::int64_t fault_attempt = 0;
};

Settings read_settings(const ngb_settings& settings);

}  // namespace ngb::null_compiler
