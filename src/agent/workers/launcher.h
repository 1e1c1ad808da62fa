// SPDX-License-Identifier: Apache-2.0
// Starts worker processes in one of two ways: as a new program (ngb-worker, or a fresh Python), or as a fork of a
// Python that has imported the compiler already (fork_server.h).
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/workers/children.h"
#include "agent/workers/control_group.h"
#include "base/clock.h"
#include "samples/failure.h"
#include "work/compiler.h"

namespace ngb::agent {

using Variables = std::vector<std::pair<std::string, std::string>>;

// The inputs of a worker's start. The caller owns the descriptors and keeps them open until the launch has a pid or has
// failed.
struct Launch {
  Variables environment{};
  int request_fd = -1;
  int result_fd = -1;
  int progress_fd = -1;
  int log_fd = -1;
};

// The state of a launch.
struct Launched {
  std::optional<Nanoseconds> started{};  // when the worker's clock started
  std::optional<pid_t> pid{};
  std::optional<int> wait_status{};               // of waitpid, once it has ended
  std::optional<std::uint64_t> peak_rss_bytes{};  // then: highest resident memory of the process itself
  std::optional<samples::Failure> failure{};      // why it could not be started, or was lost
  std::map<std::string, std::string> facts{};     // about how it was started
};

class Launcher {
 public:
  virtual ~Launcher() = default;
  // Begins a launch and forgets the one before; there is one launch at a time.
  virtual void begin(const Launch& launch) = 0;
  // Handles what has happened since the last call, without waiting. Call it after every wake-up.
  virtual void advance() = 0;
  [[nodiscard]] virtual const Launched& launched() const = 0;
  // Called before the current launch is killed with all its processes.
  virtual void abandon() {}
  // Called when its own processes do not answer and are about to be killed; the next launch starts new ones.
  virtual void forget() {}
  // Returns a descriptor to poll beside SIGCHLD; -1 if there is none.
  [[nodiscard]] virtual int poll_fd() const { return -1; }
  // Returns the launcher's own processes, which outlive a worker.
  [[nodiscard]] virtual std::set<pid_t> own_processes() const { return {}; }
};

// The paths of the worker programs and their parts, and the settings with which every worker is started.
struct Surroundings {
  std::filesystem::path worker{};                 // ngb-worker
  std::filesystem::path lib{};                    // lib/ngraphbench
  std::filesystem::path work_folder{};            // absolute
  std::vector<int> cpus{};                        // all that the agent may use
  Variables environment{};                        // of every worker: TMPDIR, and the user's variables
  std::set<std::string> model_kinds{};            // of the job (fork_server.h); empty: any may come
  std::shared_ptr<const ControlGroups> groups{};  // null: only /proc is used
  [[nodiscard]] std::filesystem::path logs() const { return work_folder / "logs"; }
  [[nodiscard]] std::filesystem::path scratch() const { return work_folder / "scratch"; }  // current folder of workers
};

// Returns the variables that set the number of threads of common libraries.
Variables thread_variables(int threads);

// Returns the variables that keep NVIDIA's libraries fair, which read them when they are loaded: no TF32 instead of f32
// where a library has no option for it, and code that the driver compiles is kept in a folder that is emptied after
// each process, so that every process compiles.
Variables cuda_variables(const Surroundings& surroundings);

// Returns the variables that tell a toolchain's Python where our package and the toolchain's packages are.
Variables python_variables(const Surroundings& surroundings, const work::Place& place);

// Starts a new program for each worker.
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

// The launchers of an agent: one for all native compilers, and one fork server for each toolchain whose Python hosts
// the compiler.
class LauncherPool {
 public:
  LauncherPool(const Surroundings& surroundings, Children& children)
      : surroundings_(surroundings), children_(children) {}

  // Returns a launcher of the compiler that is not among `taken`, as each has one worker at a time. It is created at
  // the first call and lives as long as the pool.
  Launcher& of(const work::Place& place, const std::set<const Launcher*>& taken = {});
  // Returns the own processes of all launchers.
  [[nodiscard]] std::set<pid_t> own_processes() const;
  // Calls `advance` of all launchers except the busy ones, because idle servers send packets too.
  void advance_idle(const std::set<const Launcher*>& busy);

 private:
  const Surroundings& surroundings_;
  Children& children_;
  std::map<std::pair<std::string, int>, std::unique_ptr<Launcher>> launchers_{};  // several of what takes turns
};

}  // namespace ngb::agent
