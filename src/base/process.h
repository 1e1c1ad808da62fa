// SPDX-License-Identifier: Apache-2.0
// Starts other programs and waits for them. No shell is involved.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/environment.h"
#include "base/file.h"
#include "base/result.h"

namespace ngb::process {

using environment::Share;

struct Spawn {
  std::vector<std::string> arguments;                              // arguments[0]: program, looked up in PATH
  Share inherits = Share::clean;                                   // what it gets of our variables
  std::vector<std::pair<std::string, std::string>> environment{};  // added to these, or in their place
  std::vector<std::pair<int, int>> descriptors{};  // {ours, the child's number}; all others but 0, 1, 2 are closed
  bool own_group = false;          // leads a new process group, so that kill(-pid) reaches its descendants
  bool own_session = false;        // leads a new session: outlives the terminal or connection from which it was started
  bool dies_with_parent = true;    // SIGKILL when the starting thread ends
  std::filesystem::path folder{};  // working folder; empty: ours
};

// Starts the program. The caller must wait for the pid. Fails if the program cannot be executed.
Result<pid_t> spawn(const Spawn& spawn);

struct Outcome {
  std::optional<int> exit_code{};  // set when the program ended by itself
  std::optional<int> signal{};     // set when a signal ended it
  std::string output{};            // stdout and stderr together, last 1 MiB
  [[nodiscard]] bool succeeded() const { return exit_code == 0; }
};

// kRunLimit is long enough for a program that answers a question, also on a slow disk.
inline constexpr Nanoseconds kRunLimit = std::chrono::minutes(2);

// Runs the program to its end. If `on_line` is given, it receives each line of output when the line is complete. A
// program that has not ended and closed its output within `time_limit` is killed; the error names it.
Result<Outcome> run(const Spawn& spawn, const std::function<void(std::string_view)>& on_line = {},
                    Nanoseconds time_limit = kRunLimit);

// Returns "exit code 3" or "signal 9".
std::string describe(int wait_status);

// Converts waitpid's status to an Outcome without output.
Outcome decode(int wait_status);

// Returns the running program's own file, from /proc/self/exe.
std::filesystem::path self();

// Refers to processes by handles: a Handle is one process, and no later one with the same number.
class Handle {
 public:
  // Returns nothing if there is no such process or the number is not above 1.
  static std::optional<Handle> open(pid_t pid);

  [[nodiscard]] pid_t pid() const { return pid_; }
  // Sends a signal. Returns false if the process has ended or this user may not signal it. No other process can receive
  // the signal: a pidfd ensures that or, before Linux 5.3, the time at which the process started.
  [[nodiscard]] bool signal(int number) const;

 private:
  Handle(pid_t pid, FileDescriptor fd, std::string started)
      : pid_(pid), fd_(std::move(fd)), started_(std::move(started)) {}

  pid_t pid_;
  FileDescriptor fd_;
  std::string started_;  // as /proc reports it
};

// Returns a descriptor that is readable (POLLIN) once the process has ended, even as a zombie. It is not open if the
// kernel has no pidfd_open (before 5.3) or refuses it; then the caller must check for the end every kPollPause.
FileDescriptor end_of(pid_t pid);
inline constexpr Nanoseconds kPollPause = std::chrono::milliseconds(5);

// Returns when the process has ended, after `patience`, or earlier: the caller checks the process and calls again.
void wait_for_end(const FileDescriptor& end, Nanoseconds patience);

// Returns whether the process has the file open that `path` names now. Returns false also without permission to see.
bool has_open(pid_t pid, const std::filesystem::path& path);

// Returns a text that is equal for two processes if, and only if, process numbers mean the same to both.
std::string pid_namespace();

}  // namespace ngb::process
