// SPDX-License-Identifier: Apache-2.0
// The agent receives a job, runs each of its processes in a fresh worker, records each in a journal and streams it
// back.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "base/revision.h"

namespace ngb::agent {

struct Options {
  std::filesystem::path work_folder{};  // journal, lock, model files, logs of the attempts (logs/…)
  std::filesystem::path worker{};       // ngb-worker
  std::filesystem::path lib{};          // lib/ngraphbench: compilers/, python/
  Revision revision{};                  // of this program; sent in Hello and in the environment record
  // Only for a resident agent: NGraphBench's folder on this device. Only one agent works in it at a time.
  std::filesystem::path device_folder{};
  // True in a batch job, which has the machine to itself: the device_folder is not locked, because several machines may
  // share it.
  bool has_device_to_itself = false;
  // Only for an agent on the client's machine: the folder whose lock excludes other runs there. Empty: no lock.
  std::filesystem::path machine_folder{};
};

// ngb-agent's exit code after an error that ends it.
inline constexpr int kCannotGoOn = 3;

// Serves one client on standard input and output until the job is finished and acknowledged, the client asks to stop or
// disconnects, or a signal arrives. Returns the process's exit code: 0 if finished or stopped, 3 after an error that
// was sent to the client. Blocks SIGCHLD, SIGTERM and SIGINT and ignores SIGPIPE for the calling process.
int serve(const Options& options);

// Serves one client after another at the socket in the work folder (listener.h); a new client replaces the one before.
// The job continues while no client is connected. Ends after 24 h without a client and without work. Closes standard
// output once it listens; an error before that is written there, in the form of a message to a client.
int reside(const Options& options);

}  // namespace ngb::agent
