// SPDX-License-Identifier: Apache-2.0
// Starting other programs and waiting for them. No shell is involved anywhere.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace ngb::process {

struct Spawn {
  std::vector<std::string> arguments;                              // arguments[0]: program, looked up in PATH
  std::vector<std::pair<std::string, std::string>> environment{};  // added to or replacing the parent's variables
  std::vector<std::pair<int, int>> descriptors{};  // {ours, the child's number}; all others but 0, 1, 2 are closed
  bool own_group = false;          // leads a new process group, so that kill(-pid) reaches its descendants
  bool own_session = false;        // leads a new session: outlives the terminal or the connection that it comes from
  bool dies_with_parent = true;    // SIGKILL when the starting thread ends
  std::filesystem::path folder{};  // working folder; empty: ours
};

// Starts the program; the pid is the caller's to wait for. Error when it cannot be executed.
Result<pid_t> spawn(const Spawn& spawn);

struct Outcome {
  std::optional<int> exit_code{};  // set when the program ended by itself
  std::optional<int> signal{};     // set when a signal ended it
  std::string output{};            // stdout and stderr together, last 1 MiB
  [[nodiscard]] bool succeeded() const { return exit_code == 0; }
};

// Runs to the end. With `on_line`, every line of output is also handed over as it comes.
Result<Outcome> run(const Spawn& spawn, const std::function<void(std::string_view)>& on_line = {});

// "exit code 3", "signal 9".
std::string describe(int wait_status);

// waitpid's status in the terms of Outcome (output stays empty).
Outcome decode(int wait_status);

// The running program's own file, from /proc/self/exe.
std::filesystem::path self();

}  // namespace ngb::process
