// SPDX-License-Identifier: Apache-2.0
// Runs one worker process from its start to its result: watches it, enforces its limits, ends it and reports its result
// or failure.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/workers/launcher.h"
#include "agent/workers/limits.h"
#include "agent/workers/load_run.h"
#include "agent/workers/watch.h"
#include "base/file.h"
#include "samples/frame.h"
#include "samples/process_result.h"
#include "samples/progress_page.h"
#include "work/job.h"

namespace ngb::agent {

struct AttemptPlan {
  work::WorkerRequest request{};
  work::Timeouts timeouts{};
  work::Disturbance disturbance{};
  std::string log_name{};                // file name in logs/
  std::vector<int> cpus{};               // processors of the worker
  work::Load load{};                     // runs beside it if the request has one
  std::uint64_t memory_limit_bytes = 0;  // for all its processes together
  bool takes_turns = false;              // its timed phase consists of turns (samples/worker_signal.h)
  // Returns the processes that are not killed: those of other launchers, and the workers with which it takes turns.
  std::function<std::set<pid_t>()> spared = [] { return std::set<pid_t>{}; };
  Nanoseconds exit_patience = std::chrono::seconds(5);  // how long it may live after its result, or after SIGKILL
};

class Attempt {
 public:
  // Starts the worker at once. Every error is a failure in the result.
  Attempt(const Surroundings& surroundings, Children& children, Launcher& launcher, AttemptPlan plan);

  // Handles what has happened since the last call. Waits only for processes that it has killed.
  void advance();
  // Returns whether the worker stands still until it gets a turn.
  [[nodiscard]] bool waits_for_turn() const { return waiting_since_.has_value() && !finished_; }
  // Lets it go on until it waits again or ends. Precondition: it waits.
  void give_turn();
  // Returns the worker and all processes below it, as far as it was started.
  [[nodiscard]] std::set<pid_t> processes() const;
  // Checks the memory of its processes and watches what else the machine does; called once a second.
  void look();
  // Ends all its processes; the result is a failure.
  void abandon();

  // Returns the result once all processes have ended, or could not be ended (`left`); empty before.
  [[nodiscard]] const std::optional<samples::ProcessResult>& result() const { return finished_; }
  // Returns the processes that could not be ended. No other process may be measured while they live.
  [[nodiscard]] const std::vector<pid_t>& left() const { return left_; }

  [[nodiscard]] const work::WorkerRequest& request() const { return plan_.request; }
  [[nodiscard]] samples::Phase phase() const;
  [[nodiscard]] std::uint64_t repetitions_done() const;
  [[nodiscard]] std::string remark() const;  // the worker's own text; may be any bytes
  [[nodiscard]] int result_fd() const { return result_read_.get(); }
  [[nodiscard]] int launcher_fd() const { return launcher_.poll_fd(); }
  // Returns when `advance` must be called even if nothing happens.
  [[nodiscard]] Nanoseconds deadline() const;

 private:
  struct Unmap {
    void operator()(samples::ProgressPage* page) const;
  };

  Status open_channels();
  void prepare_load();
  void advance_load();
  bool receive_signal(std::string_view frame);
  void hand_over_request();
  void read_result();
  void check_time();
  void end_with(const samples::Failure& failure);
  void end_processes();
  void give_up();
  void finish();
  void add_what_was_watched(samples::ProcessResult& result) const;
  [[nodiscard]] samples::Failure failure_here(samples::FailureKind kind, std::string message) const;
  [[nodiscard]] std::set<pid_t> spared() const;
  [[nodiscard]] std::vector<pid_t> workers() const;

  const Surroundings& surroundings_;
  Children& children_;
  Launcher& launcher_;
  AttemptPlan plan_;
  FileDescriptor request_read_{}, request_write_{}, result_read_{}, result_write_{}, page_fd_{}, log_{};
  std::unique_ptr<samples::ProgressPage, Unmap> page_{};
  samples::FrameReader frames_{};
  std::optional<std::string> result_text_{};
  std::optional<samples::Failure> ended_by_us_{};
  std::optional<Deadlines> deadlines_{};
  std::optional<Nanoseconds> exit_deadline_{};  // when the worker must have ended after its result
  std::optional<std::uint64_t> memory_kills_before_{};
  Nanoseconds created_{};
  bool is_begun_ = false;
  bool is_handed_over_ = false;
  bool is_killed_ = false;
  std::vector<pid_t> left_{};
  std::optional<ControlGroup> group_{};
  std::optional<Watch> watch_{};                // of a worker that measures
  std::optional<LoadRun> load_{};               // of a cell that has a load
  std::optional<Nanoseconds> waiting_since_{};  // for a turn
  Nanoseconds waited_{0};                       // for all turns before that
  std::optional<samples::ProcessResult> finished_{};
};

}  // namespace ngb::agent
