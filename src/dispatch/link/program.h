// SPDX-License-Identifier: Apache-2.0
// Runs other programs (sbatch, squeue) to their end without blocking the loop.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "dispatch/link/event_loop.h"

namespace ngb::dispatch {

// If SIGKILL has not ended a process within this time, the process hangs in the kernel and nobody waits for it any
// longer.
inline constexpr Nanoseconds kKillPatience = std::chrono::seconds(1);

// Waits for a child's end and returns its status in waitpid's form, or nothing if the child hangs in the kernel. Sends
// SIGKILL to `to_kill` (the child, or its group as a negative number) after `patience`, or if `after_stop` has passed
// since the loop stopped.
asio::awaitable<std::optional<int>> end_of_child(Loop& loop, pid_t pid, pid_t to_kill, Nanoseconds patience,
                                                 Nanoseconds after_stop);

inline const std::string kNoInput;

struct ProgramEnd {
  bool succeeded = false;
  bool was_slow = false;  // it was killed because its time was over
  std::string output{};   // at most 64 MiB
  std::string words{};    // for people: at most 2,000 bytes of its standard error, or how it ended
};

// Runs the program `words[0]` with these arguments and with `input` as its standard input. `words` and `input` must
// outlive the call. The program is killed after `patience`; if the loop stops, it is killed within kWordsAfterStop, or
// at once with `stops_with_loop`. Returns an error if the program cannot be started or hangs in the kernel.
asio::awaitable<Result<ProgramEnd>> run_program(Loop& loop, const std::vector<std::string>& words,
                                                const std::string& input, Nanoseconds patience,
                                                bool stops_with_loop = false);

}  // namespace ngb::dispatch
