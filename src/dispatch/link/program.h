// SPDX-License-Identifier: Apache-2.0
// Other programs (sbatch, squeue) run to their end while the loop goes on.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "dispatch/link/event_loop.h"

namespace ngb::dispatch {

// A process that SIGKILL has not ended within this time hangs in the kernel: it is not waited for any longer.
inline constexpr Nanoseconds kKillPatience = std::chrono::seconds(1);

// Waits for a child's end and returns its status as waitpid gives it. SIGKILL goes to `to_kill` (the child, or minus
// its group) after `patience`, or `after_stop` the loop has stopped. Nothing: it hangs in the kernel.
asio::awaitable<std::optional<int>> end_of_child(Loop& loop, pid_t pid, pid_t to_kill, Nanoseconds patience,
                                                 Nanoseconds after_stop);

inline const std::string kNoInput;

struct ProgramEnd {
  bool succeeded = false;
  std::string output{};  // at most 64 MiB
  std::string words{};   // of its standard error, or how it ended: for people
};

// `input` is its standard input; both are the caller's until it has ended. It is killed when it takes longer than
// `patience`; when the loop stops, soon after, and with `stops_with_loop` at once. Error: it cannot be started.
asio::awaitable<Result<ProgramEnd>> run_program(Loop& loop, const std::vector<std::string>& words,
                                                const std::string& input, Nanoseconds patience,
                                                bool stops_with_loop = false);

}  // namespace ngb::dispatch
