// SPDX-License-Identifier: Apache-2.0
#include "dispatch/fleet.h"

#include <sys/resource.h>

#include <algorithm>
#include <exception>

#include "dispatch/local.h"
#include "dispatch/parts.h"
#include "dispatch/references.h"
#include "dispatch/remote.h"

namespace ngb::dispatch {
namespace {

constexpr Nanoseconds kStopPoll = std::chrono::milliseconds(200);

class Fleet {
 public:
  Fleet(const Installation& installation, const std::vector<Share>& shares, const Callbacks& callbacks,
        const std::function<bool()>& stop_requested)
      : installation_(installation), shares_(shares), recording_(loop_, callbacks), stop_requested_(stop_requested) {}

  // `task`: what is to be done with each.
  std::vector<DeviceEnding> run(asio::awaitable<void> (Fleet::*task)(std::size_t)) {
    endings_.resize(shares_.size());
    running_ = shares_.size();
    const bool has_others =
        std::any_of(shares_.begin(), shares_.end(), [](const Share& share) { return share.device.kind != "local"; });
    if (has_others) parts_ = find_parts(installation_);
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      endings_[i].device = shares_[i].device.name;
      asio::co_spawn(loop_.io, (this->*task)(i), rethrow);
    }
    asio::co_spawn(loop_.io, watch_for_stop(), rethrow);
    loop_.io.run();
    return std::move(endings_);
  }

  asio::awaitable<void> run_device(std::size_t index) {
    const Share& share = shares_[index];
    DeviceEnding& ending = endings_[index];
    if (share.device.kind == "local") {
      co_await make_references();
      ending.ending = co_await run_local(loop_, recording_, installation_, share);
    } else if (!parts_) {
      ending.ending = tl::unexpected(parts_.error());
    } else {
      RemoteRun run(loop_, recording_, *parts_, references_, share);
      ending.ending = co_await run.run();
      if (!ending.ending) ending.ending = tl::unexpected(error_of(share.device.name, ending.ending.error()));
      if (ending.ending == Ending::finished) ending.torn_down = co_await run.tear_down();
    }
    leave();
  }

  asio::awaitable<void> tear_down_device(std::size_t index) {
    const Share& share = shares_[index];
    if (share.device.kind != "local" && parts_) {
      RemoteRun run(loop_, recording_, *parts_, references_, share);
      endings_[index].torn_down = co_await run.tear_down();
    } else if (share.device.kind != "local") {
      endings_[index].torn_down = tl::unexpected(parts_.error());
    }
    leave();
  }

 private:
  // What a device itself says of a place is about a place there.
  static Error error_of(const std::string& device, Error error) {
    if (error.where != device) error.where = error.where.empty() ? device : device + ": " + error.where;
    return error;
  }

  static void rethrow(const std::exception_ptr& error) {
    if (error) std::rethrow_exception(error);
  }

  // All that devices elsewhere may want of this machine is done before it measures; it needs the same itself.
  asio::awaitable<void> make_references() {
    for (const Share& share : shares_) {
      const bool may_want = std::any_of(share.toolchains.begin(), share.toolchains.end(),
                                        [](const ToolchainTree& each) { return each.makes_references; });
      if (may_want && !share.only_fetch) (void)co_await references_.of(share);
    }
  }

  void leave() {
    if (--running_ == 0) done_.ring();
  }

  asio::awaitable<void> watch_for_stop() {
    while (running_ > 0 && !loop_.is_stopping) {
      if (stop_requested_()) loop_.stop();
      co_await done_.wait(kStopPoll);
    }
  }

  const Installation& installation_;
  const std::vector<Share>& shares_;
  Loop loop_{};
  Recording recording_;
  const std::function<bool()>& stop_requested_;
  Alarm done_{loop_};
  Result<Parts> parts_{};
  References references_{loop_, recording_, installation_};
  std::vector<DeviceEnding> endings_{};
  std::size_t running_ = 0;
};

// Every device takes some, and many systems begin with 1024.
void allow_descriptors_for(std::size_t devices) {
  constexpr std::size_t kOfADevice = 4;
  constexpr std::size_t kOthers = 100;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kOfADevice * devices + kOthers) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

std::vector<DeviceEnding> run_fleet(const Installation& installation, const std::vector<Share>& shares,
                                    const Callbacks& callbacks, const std::function<bool()>& stop_requested) {
  allow_descriptors_for(shares.size());
  return Fleet(installation, shares, callbacks, stop_requested).run(&Fleet::run_device);
}

std::vector<DeviceEnding> tear_down_fleet(const Installation& installation, const std::vector<Share>& shares,
                                          const std::function<bool()>& stop_requested) {
  const Callbacks nothing_comes;
  return Fleet(installation, shares, nothing_comes, stop_requested).run(&Fleet::tear_down_device);
}

}  // namespace ngb::dispatch
