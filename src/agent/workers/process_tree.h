// SPDX-License-Identifier: Apache-2.0
// Finds the processes below a process, including those in other groups or sessions and orphans.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace ngb::agent {

// Returns every living process below `root`, without `root` and without zombies.
std::vector<pid_t> descendants(pid_t root);
// Returns these and `root` itself, whether it lives or not.
std::vector<pid_t> with_descendants(pid_t root);

// Returns the resident memory of these processes together; a shared page counts once for each process.
std::uint64_t resident_bytes(const std::vector<pid_t>& processes);

// Returns the processor time of a process and of all below it, those that have ended and were waited for included
// (these in ticks of the kernel's clock).
std::int64_t cpu_ns_of(pid_t root);

// Waits until no thread of a process and of all below it runs. If one still runs after some milliseconds, such as a
// compiler's thread that looks for work, all processes are stopped (SIGSTOP). They are not stopped sooner, because a
// thread is woken to be stopped, and threads that are woken at the same moment may have to share a processor.
void calm(pid_t root);
// Resumes the stopped processes (SIGCONT).
void resume_all(pid_t root);

// The environment variable that names the work folder for which a process was started.
inline constexpr const char* kWorkFolderVariable = "NGB_WORK_FOLDER";

// Kills the processes that a killed agent of this folder has left running, and returns them.
std::vector<pid_t> kill_leftovers(const std::filesystem::path& work_folder);
// Kills leftovers until none is left. Returns an error if one does not end within `patience`; nothing may be measured
// then.
Status end_leftovers(const std::filesystem::path& work_folder, Nanoseconds patience);

}  // namespace ngb::agent
