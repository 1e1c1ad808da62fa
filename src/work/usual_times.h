// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/record.h"

namespace ngb::work {

// What a process of a compiler usually takes if none was measured yet: the times on one thread of a current processor,
// in f32. compiler.json may give them; these are those of a compiler that does not.
struct UsualTimes {
  double start_s = 1;                              // starting, opening the library, checking the outputs
  double compile_s = 0;                            // of the smallest model
  double compile_s_per_million_parameters = 0.01;  // more, for each million
  double macs_per_thread_per_s = 40e9;             // of its inference
  double load_share = 0.1;                         // of compiling: loading what another process has compiled
  double import_s = 0;                             // of Python's packages, once in a run; 0 for a native compiler

  static constexpr auto fields(auto visit) {
    return visit(Field{"start_s", &UsualTimes::start_s}, Field{"compile_s", &UsualTimes::compile_s},
                 Field{"compile_s_per_million_parameters", &UsualTimes::compile_s_per_million_parameters},
                 Field{"macs_per_thread_per_s", &UsualTimes::macs_per_thread_per_s},
                 Field{"load_share", &UsualTimes::load_share}, Field{"import_s", &UsualTimes::import_s});
  }
};

}  // namespace ngb::work
