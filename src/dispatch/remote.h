// SPDX-License-Identifier: Apache-2.0
// A device elsewhere, from the first connection to the teardown.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dispatch/bundle.h"
#include "dispatch/connection.h"
#include "dispatch/fleet.h"
#include "dispatch/follow.h"
#include "dispatch/loop.h"
#include "dispatch/parts.h"
#include "dispatch/recording.h"
#include "dispatch/references.h"
#include "dispatch/route.h"
#include "dispatch/toolchains.h"

namespace ngb::dispatch {

// What the device lacks is delivered, its agent goes on when the connection ends, and a lost connection is tried again
// until the share's patience is over.
class RemoteRun {
 public:
  // What is referred to outlives it. `parts` and `references`: what can be delivered.
  RemoteRun(Loop& loop, Recording& recording, Parts& parts, References& references, const Share& share);

  asio::awaitable<Result<Ending>> run();
  // Takes everything of the run off the device. Error: what is left there, or why it cannot be reached.
  asio::awaitable<Status> tear_down();

 private:
  Result<std::shared_ptr<Connection>> open(const Command& command);
  asio::awaitable<Result<std::optional<Ending>>> visit();
  asio::awaitable<Result<std::optional<Ending>>> visit_over(Connection& device);
  asio::awaitable<Result<bool>> deliver_all(Connection& device, const samples::Arrival& arrival);
  asio::awaitable<Result<bool>> deliver_references(Connection& device);
  asio::awaitable<Result<bool>> deliver_what_lacks(Connection& device, const std::vector<const LocalTree*>& trees,
                                                   const std::vector<std::string>& lacking);
  void show_bytes_left(std::uint64_t left_bytes);
  [[nodiscard]] Result<samples::Job> job_there() const;
  asio::awaitable<Status> remove_all();
  asio::awaitable<Status> remove(const Route::Remains& remains);
  asio::awaitable<Status> remove_over(Connection& device, const Route::Remains& remains);

  Loop& loop_;
  Recording& recording_;
  Parts& parts_;
  References& references_;
  const Share& share_;
  Follower follower_;
  std::unique_ptr<Route> route_;
  Alarm pause_;
  std::string script_;
  std::filesystem::path log_;  // what ssh or srun says
  std::uint64_t log_begin_ = 0;
  std::string how_{};    // the last connection ended
  std::string words_{};  // for people
  bool was_reached_ = false;
  ToolchainDelivery toolchains_;
  References::OfModels references_of_models_{};  // made here; none: the device makes its own
};

}  // namespace ngb::dispatch
