// SPDX-License-Identifier: Apache-2.0
// Runs the share of a device elsewhere, from the first connection to the teardown.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dispatch/delivery/parts.h"
#include "dispatch/delivery/toolchain_delivery.h"
#include "dispatch/fleet.h"
#include "dispatch/follow.h"
#include "dispatch/link/connection.h"
#include "dispatch/link/event_loop.h"
#include "dispatch/link/recording.h"
#include "dispatch/reference_job.h"
#include "dispatch/route/route.h"

namespace ngb::dispatch {

// Delivers what the device lacks and follows its agent, which continues if the connection ends. Tries a lost connection
// again until Share::lost_after has passed.
class RemoteRun {
 public:
  // All references outlive this object. `parts` and `references` contain what can be delivered.
  RemoteRun(Loop& loop, Recording& recording, Parts& parts, References& references, const Share& share,
            std::unique_ptr<Route> route);

  // Runs the share until its job is finished or the loop stops. Returns an error if the device cannot be reached for
  // too long, if its agent dies repeatedly without having done anything, or if device or agent report an error.
  asio::awaitable<Result<Ending>> run();
  // Fetches what the device has recorded of the run, without the job. Returns an error if that is not possible.
  asio::awaitable<Status> fetch();
  // Removes everything of the run from the device. Returns an error that says what is left there, or, with the code
  // `lost`, why the device cannot be reached.
  asio::awaitable<Status> tear_down();
  // Returns whether nothing of the run can be left anywhere, because it never had a machine.
  [[nodiscard]] bool was_nowhere() const { return route_->was_nowhere(); }

 private:
  static constexpr Nanoseconds kFirstPause = std::chrono::seconds(1);
  static constexpr Nanoseconds kEndPatience = std::chrono::seconds(3);

  // Opens a connection and runs `talk` over it. Afterwards how_ and words_ say how the connection ended. Errors of this
  // and the functions below have the code `lost` if the connection ended or the loop stops.
  template <class T>
  using Talk = std::function<asio::awaitable<Result<T>>(Connection& device)>;
  template <class T>
  asio::awaitable<Result<T>> visit(Command command, Talk<T> talk) {
    const Result<std::shared_ptr<Connection>> device = route_->open(loop_, command, log_);
    if (!device) co_return error_of(device);
    Result<T> outcome = co_await talk(**device);
    how_ = co_await (*device)->end(kEndPatience);
    words_ = (*device)->last_words();
    if (words_.empty()) words_ = how_;
    co_return outcome;
  }
  asio::awaitable<Status> fetch_over(Connection& device);
  asio::awaitable<Status> note_presence();
  asio::awaitable<Result<samples::Arrival>> arrive(Connection& device);
  asio::awaitable<Result<Ending>> visit_over(Connection& device);
  asio::awaitable<Status> deliver_all(Connection& device, const samples::Arrival& arrival);
  asio::awaitable<Status> deliver_references(Connection& device);
  asio::awaitable<Status> deliver_what_lacks(Connection& device, const std::vector<const LocalTree*>& trees,
                                             const std::vector<std::string>& lacking);
  void show_bytes_left(std::uint64_t left_bytes);
  [[nodiscard]] Result<work::Job> job_there() const;
  asio::awaitable<Status> remove_all();
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
  std::filesystem::path log_;   // the standard error of ssh or srun
  std::string how_{};           // how the last connection ended
  std::string words_{};         // the same for people: the last output of ssh or srun
  bool is_noted_ = false;       // recorded: files of the run may be there
  int failed_starts_ = 0;       // of an agent that was already on the device, in a row
  bool was_sent_anew_ = false;  // the agent, after it had failed to start
  std::string waits_for_{};     // as last shown to the user
  bool was_reached_ = false;    // during the last visit
  ToolchainDelivery toolchains_;
  Manifests manifests_{};                        // of the toolchains on the device, by path
  References::OfModels references_of_models_{};  // made here; empty if the device makes its own
};

}  // namespace ngb::dispatch
