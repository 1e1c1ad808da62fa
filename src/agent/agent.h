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
  // Resident agents: what belongs to NGraphBench on this device; only one of them is at work there, unless a batch
  // system has seen to that (several machines may share the folder).
  std::filesystem::path device_folder{};
  bool has_device_to_itself = false;
};

// Serves one client on standard input and output until the job is finished and acknowledged, the client asks to stop or
// goes away, or a signal comes. Returns the process's exit code: 0 finished or stopped, 3 it could not go on (the
// client was told why). Blocks SIGCHLD, SIGTERM and SIGINT and ignores SIGPIPE for the calling process.
int serve(const Options& options);

// The same, but for one client after another, at the socket in the work folder (listener.h), and the job goes on while
// none is there; a client that comes takes the place of the one before. With nothing to do and nobody there it leaves
// after 24 h. Closes standard output when it listens; what prevents that is told there, as the message to a client.
int reside(const Options& options);

}  // namespace ngb::agent
