// SPDX-License-Identifier: Apache-2.0
// The agent: takes a job, runs every process of it in a fresh worker, checkpoints each in a journal, streams it back.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace ngb::agent {

struct Options {
  std::filesystem::path work_folder{};  // journal, lock, model files, logs of the attempts (logs/…)
  std::filesystem::path worker{};       // ngb-worker
  std::filesystem::path lib{};          // lib/ngraphbench: compilers/, python/
  std::string version{};                // of this program, for hello and the environment record
  int input_fd = 0;
  int output_fd = 1;
};

// Serves one client until the job is finished and acknowledged, the client asks to stop or goes away, or a signal
// comes. Returns the process's exit code: 0 finished or stopped, 3 it could not go on (the client was told why).
// Blocks SIGCHLD, SIGTERM and SIGINT and ignores SIGPIPE for the calling process.
int serve(const Options& options);

}  // namespace ngb::agent
