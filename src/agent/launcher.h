// SPDX-License-Identifier: Apache-2.0
// Getting a worker process started, in one of two ways behind one interface: a program of its own (ngb-worker, or a
// fresh Python), or a child of a Python that has imported everything already (fork_server.h).
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/children.h"
#include "base/clock.h"
#include "samples/failure.h"
#include "samples/job.h"

namespace ngb::agent {

using Variables = std::vector<std::pair<std::string, std::string>>;

// What a worker is born with. The descriptors are lent: they stay open until the launch has a pid or has failed.
struct Launch {
  Variables environment{};
  int request_fd = -1;
  int result_fd = -1;
  int progress_fd = -1;
  int log_fd = -1;
};

// What has become of a launch.
struct Launched {
  std::optional<Nanoseconds> started{};  // the clock of this worker runs since
  std::optional<pid_t> pid{};
  std::optional<int> wait_status{};               // it has ended: waitpid's status
  std::optional<std::uint64_t> peak_rss_bytes{};  // then: the highest that it, alone, ever had resident
  std::optional<samples::Failure> failure{};      // it could not be started, or was lost
  std::map<std::string, std::string> facts{};     // about how it was started
};

class Launcher {
 public:
  virtual ~Launcher() = default;
  // One launch at a time; forgets the one before.
  virtual void begin(const Launch& launch) = 0;
  // Takes up what has happened since; never waits. To be called after every wake-up.
  virtual void advance() = 0;
  [[nodiscard]] virtual const Launched& launched() const = 0;
  // The launch in flight is given up, and about to be killed with everything that belongs to it.
  virtual void abandon() {}
  // To be waited for beside SIGCHLD; -1: nothing.
  [[nodiscard]] virtual int poll_fd() const { return -1; }
  // Processes of the launcher's own, which outlive a worker.
  [[nodiscard]] virtual std::set<pid_t> own_processes() const { return {}; }
};

// Where worker programs and their parts are, and what all of them are started with.
struct Surroundings {
  std::filesystem::path worker{};       // ngb-worker
  std::filesystem::path lib{};          // lib/ngraphbench
  std::filesystem::path work_folder{};  // absolute
  std::vector<int> cpus{};              // all that we may use
  Variables environment{};              // of every worker: a folder for temporary files, and the user's own
  [[nodiscard]] std::filesystem::path logs() const { return work_folder / "logs"; }
  [[nodiscard]] std::filesystem::path scratch() const { return work_folder / "scratch"; }  // where workers stand
};

// Variables that set a library's threads, all of them to the same number.
Variables thread_variables(int threads);

// For a toolchain's Python: where our package and the toolchain's are.
Variables python_variables(const Surroundings& surroundings, const samples::CompilerWork& compiler);

// A program that is started for one worker.
class ProgramLauncher final : public Launcher {
 public:
  ProgramLauncher(const Surroundings& surroundings, Children& children, std::vector<std::string> arguments,
                  Variables environment);
  void begin(const Launch& launch) override;
  void advance() override;
  [[nodiscard]] const Launched& launched() const override { return launched_; }

 private:
  const Surroundings& surroundings_;
  Children& children_;
  std::vector<std::string> arguments_;
  Variables environment_;
  Launched launched_{};
};

}  // namespace ngb::agent
