// SPDX-License-Identifier: Apache-2.0
// Shows a run that is under way to those who open its live page (`--serve`). Everything is called by the run's thread.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "campaign/observer.h"
#include "live/server.h"
#include "live/state.h"
#include "live/verdicts.h"
#include "plan/plan.h"

namespace ngb::app {

class LivePage {
 public:
  // Serves at the address, on processors that the plan's local cells leave free, and prints where. Returns an error if
  // the address cannot be read or used.
  static Result<std::unique_ptr<LivePage>> begin(const std::string& address, const plan::Plan& plan);

  // The run has this to do.
  void follow(const campaign::Outlook& outlook);
  void show(const std::string& device, const std::string& doing, bool is_measuring);
  void say(const std::string& line);
  void finish_process(const campaign::FinishedProcess& process, const std::string& line);
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
  campaign::SecondsLeft seconds_left_{};
  Nanoseconds started_ = system_clock().now();
};

}  // namespace ngb::app
