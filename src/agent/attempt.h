// SPDX-License-Identifier: Apache-2.0
// One worker process from its start to its result: watches it, limits it, ends it, and says what became of it.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/launcher.h"
#include "agent/limits.h"
#include "base/file.h"
#include "samples/frame.h"
#include "samples/job.h"
#include "samples/process_result.h"
#include "samples/progress_page.h"

namespace ngb::agent {

struct AttemptPlan {
  samples::WorkerRequest request{};
  std::string log_name{};                // in logs/
  std::vector<int> cpus{};               // that the worker may use
  std::uint64_t memory_limit_bytes = 0;  // of its processes together
  std::set<pid_t> spared{};              // other launchers' own processes
};

class Attempt {
 public:
  // Starts at once. What goes wrong is in the result.
  Attempt(const Surroundings& surroundings, Children& children, Launcher& launcher, AttemptPlan plan);

  // Takes up what has happened; never waits, but for processes to die that it has killed.
  void advance();
  // The once-a-second look at the memory of its processes.
  void look();
  // Ends every process of it. What it measured is not used.
  void abandon();

  // Set once nothing of it lives any more.
  [[nodiscard]] const std::optional<samples::ProcessResult>& result() const { return finished_; }

  [[nodiscard]] const samples::WorkerRequest& request() const { return plan_.request; }
  [[nodiscard]] samples::Phase phase() const;
  [[nodiscard]] std::uint64_t repetitions_done() const;
  [[nodiscard]] std::string remark() const;  // as the worker wrote it, of whatever bytes
  [[nodiscard]] int result_fd() const { return result_read_.get(); }
  [[nodiscard]] int launcher_fd() const { return launcher_.poll_fd(); }
  // When `advance` has something to do even if nothing happens.
  [[nodiscard]] Nanoseconds deadline() const;

 private:
  struct Unmap {
    void operator()(samples::ProgressPage* page) const;
  };

  Status open_channels();
  void hand_over_request();
  void read_result();
  void check_time();
  void end_with(const samples::Failure& failure);
  void finish();
  [[nodiscard]] samples::Failure failure_here(samples::FailureKind kind, std::string message) const;
  [[nodiscard]] std::set<pid_t> spared() const;

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
  std::optional<Nanoseconds> exit_deadline_{};  // it has delivered its result and should be gone by then
  std::optional<std::uint64_t> memory_kills_before_{};
  Nanoseconds created_{};
  bool is_begun_ = false;
  bool is_handed_over_ = false;
  std::optional<samples::ProcessResult> finished_{};
};

}  // namespace ngb::agent
