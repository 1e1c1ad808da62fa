// SPDX-License-Identifier: Apache-2.0
// Shows a run that is under way to those who open its live page (`--serve`). Everything is called by the run's thread.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/ngb/duration.h"
#include "base/clock.h"
#include "base/result.h"
#include "live/server.h"
#include "live/state.h"
#include "live/verdicts.h"
#include "plan/plan.h"

namespace ngb::app {

// Samples per second over the steady repetitions of a process.
struct ProcessSpeed {
  double median_per_s = 0;
  double mean_per_s = 0;
};

class LivePage {
 public:
  // Serves at the address, on processors that the plan's local cells leave free, and prints where. Returns an error if
  // the address cannot be read or used.
  static Result<std::unique_ptr<LivePage>> begin(const std::string& address, const plan::Plan& plan);

  // The run measures this plan; `left` is the number of processes of each cell, of which `done` of `total` are done.
  void follow(const plan::Plan& plan, const std::vector<int>& left, int done, int total, SecondsLeft seconds_left);
  void show(const std::string& device, const std::string& doing, bool is_measuring);
  void say(const std::string& line);
  // `speed` is unknown if no repetition was steady.
  void finish_process(int cell, int round, int left, const std::optional<ProcessSpeed>& speed, const std::string& line);
  void fail_process(int cell, const std::string& why, bool is_final, int skipped);
  void end_rounds(int cell, int skipped);
  void finish_device(const std::string& device);
  // Publishes the state if somebody asks for a newer one.
  void tick();
  // The run has ended; `report` is the path of its page, which is "" if none was written.
  void end(const std::string& ending, const std::filesystem::path& report);

 private:
  explicit LivePage(std::unique_ptr<live::Server> server) : server_(std::move(server)) {}
  void publish(std::shared_ptr<const std::string> report = nullptr);

  std::unique_ptr<live::Server> server_;
  live::State state_{};
  live::Verdicts verdicts_{};
  SecondsLeft seconds_left_{};
  Nanoseconds started_ = system_clock().now();
};

}  // namespace ngb::app
