// SPDX-License-Identifier: Apache-2.0
// Other programs (sbatch, squeue) run to their end while the loop goes on.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "dispatch/loop.h"

namespace ngb::dispatch {

struct ProgramEnd {
  bool succeeded = false;
  std::string output{};  // at most 64 MiB
  std::string words{};   // of its standard error, or how it ended: for people
};

// `input` is its standard input; both are the caller's until it has ended. It is killed when it takes longer than
// `patience`; with `stops_with_loop`, also when the loop stops. Error: it cannot be started.
asio::awaitable<Result<ProgramEnd>> run_program(Loop& loop, const std::vector<std::string>& words,
                                                const std::string& input, Nanoseconds patience,
                                                bool stops_with_loop = false);

}  // namespace ngb::dispatch
