// SPDX-License-Identifier: Apache-2.0
// What a process of each compiler usually takes, for compilers of which no process was measured yet.
#pragma once

#include <string_view>

#include "work/compiler.h"

namespace ngb::plan {

// The times of a process on one thread of a current processor, in f32.
struct UsualTimes {
  std::string_view compiler;                       // "": all that are not listed
  double start_s = 1;                              // starting, opening the library, checking the outputs
  double compile_s = 0;                            // of the smallest model
  double compile_s_per_million_parameters = 0.01;  // more, for each million
  double macs_per_thread_per_s = 40e9;             // of its inference
  double load_share = 0.1;                         // of compiling: loading what another process has compiled
  double import_s = 0;                             // of Python's packages, once in a run; 0 for a native compiler
  bool is_for_gpus = false;                        // it compiles for nothing else
};

// Returns the row of the compiler. `is_tuned`: its options ask for tuning.
const UsualTimes& usual_times(std::string_view compiler, bool is_tuned);

// On a GPU, whatever the compiler and its threads: MACs per second of inference, between those of a board and of a
// workstation's card, and the least time to start, because the driver's context is made in each process.
inline constexpr double kGpuMacs_per_s = 1e12;
inline constexpr double kGpuStart_s = 2;

// Returns whether inference runs on a GPU: the compiler has no other device, or its option `device` or `provider` asks
// for one.
bool computes_on_gpu(const work::Compiler& compiler);

}  // namespace ngb::plan
