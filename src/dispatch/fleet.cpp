// SPDX-License-Identifier: Apache-2.0
#include "dispatch/fleet.h"

#include <sys/resource.h>

#include <algorithm>
#include <exception>
#include <string>

#include "dispatch/delivery/parts.h"
#include "dispatch/local.h"
#include "dispatch/reference_job.h"
#include "dispatch/remote.h"
#include "dispatch/route/route.h"

namespace ngb::dispatch {
namespace {

constexpr Nanoseconds kStopPoll = std::chrono::milliseconds(200);

// Returns an error if a folder in which a device's files are written is a link to what may be somebody else's: results
// may have come with the link. A user's own link to a faster disk leads to an empty folder, or to that of a run.
Status check_links(const std::filesystem::path& work_folder) {
  std::error_code code;
  const bool is_of_a_run = std::filesystem::exists(work_folder / "journal", code);
  std::vector<std::filesystem::path> folders{work_folder / "logs", work_folder / "references"};
  for (const auto& folder : {work_folder.parent_path(), work_folder}) {
    const bool is_users_own = is_of_a_run || std::filesystem::is_empty(folder, code);
    if (!is_users_own) folders.push_back(folder);
  }
  const auto link =
      std::ranges::find_if(folders, [&](const auto& folder) { return std::filesystem::is_symlink(folder, code); });
  if (link == folders.end()) return Done{};
  return fail("is a link, and a run would write into what it leads to", link->string(),
              "remove the link, or choose another output folder (--output)");
}

class Fleet {
 public:
  Fleet(const Installation& installation, const std::vector<Share>& shares, const Callbacks& callbacks,
        const std::function<bool()>& stop_requested)
      : installation_(installation), shares_(shares), recording_(loop_, callbacks), stop_requested_(stop_requested) {}

  // Runs the task for every share and returns the endings.
  std::vector<DeviceEnding> run(asio::awaitable<void> (Fleet::*task)(std::size_t)) {
    endings_.resize(shares_.size());
    running_ = shares_.size();
    const bool has_others =
        std::any_of(shares_.begin(), shares_.end(), [](const Share& share) { return !config::is_here(share.device); });
    if (has_others) parts_ = find_parts(installation_);
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      endings_[i].device = shares_[i].device.name;
      asio::co_spawn(loop_.io, alone(i, task), rethrow);
    }
    asio::co_spawn(loop_.io, watch_for_stop(), rethrow);
    loop_.io.run();
    return std::move(endings_);
  }

  asio::awaitable<void> run_device(std::size_t index) {
    const Share& share = shares_[index];
    DeviceEnding& ending = endings_[index];
    const bool has_nothing = share.is_finished && share.last_sequence == 0;  // the run has no cells there
    if (config::is_here(share.device) && !has_nothing) {
      co_await make_references();
      ending.ending = co_await run_local(loop_, recording_, installation_, share);
    } else if (share.is_finished) {
      ending.ending = Ending::finished;
    } else if (!parts_) {
      ending.ending = tl::unexpected(parts_.error());
    } else {
      RemoteRun run = elsewhere(share);
      ending.ending = co_await run.run();
      if (!ending.ending) ending.ending = tl::unexpected(error_of(share.device.name, ending.ending.error()));
      if (ending.ending == Ending::finished) ending.torn_down = co_await run.tear_down();
      if (!ending.ending && run.was_nowhere()) ending.torn_down = Done{};
    }
  }

  asio::awaitable<void> fetch_from_device(std::size_t index) {
    const Share& share = shares_[index];
    DeviceEnding& ending = endings_[index];
    if (config::is_here(share.device)) {
      ending.ending = co_await fetch_local(loop_, recording_, installation_, share);
    } else if (!parts_) {
      ending.ending = tl::unexpected(parts_.error());
    } else {
      RemoteRun run = elsewhere(share);
      Status fetched;
      if (!share.is_finished) fetched = co_await run.fetch();
      ending.ending = fetched ? Result<Ending>(Ending::left) : tl::unexpected(fetched.error());
      if (fetched && share.ends_there) ending.torn_down = co_await run.tear_down();
    }
  }

  asio::awaitable<void> tear_down_device(std::size_t index) {
    const Share& share = shares_[index];
    if (config::is_here(share.device)) co_return;
    if (parts_) {
      RemoteRun run = elsewhere(share);
      endings_[index].torn_down = co_await run.tear_down();
    } else {
      endings_[index].torn_down = tl::unexpected(parts_.error());
    }
  }

 private:
  // An exception for one device (it sends more than fits into memory) ends that device alone.
  asio::awaitable<void> alone(std::size_t index, asio::awaitable<void> (Fleet::*task)(std::size_t)) {
    if (const Status links = check_links(shares_[index].work_folder); !links) {
      endings_[index].ending = tl::unexpected(links.error());
      if (task == &Fleet::tear_down_device) endings_[index].torn_down = tl::unexpected(links.error());
      leave();
      co_return;
    }
    std::string thrown;
    try {
      co_await (this->*task)(index);
    } catch (const std::exception& exception) {
      thrown = exception.what();
    }
    if (!thrown.empty()) {
      const Error error{"its messages cannot be processed: " + thrown, endings_[index].device,
                        "the results so far are kept; run the same command again to resume"};
      endings_[index].ending = tl::unexpected(error);
      if (task == &Fleet::tear_down_device) endings_[index].torn_down = tl::unexpected(error);
    }
    leave();
  }

  // The place that a device names in an error is a place on that device.
  static Error error_of(const std::string& device, const Error& error) {
    return error.where == device ? error : error.within(device);
  }

  RemoteRun elsewhere(const Share& share) {
    const Say say = [this, &share](const std::string& remark) { recording_.say(share.device.name, remark); };
    return {loop_, recording_, *parts_, references_, share, kind_of(share.device).route(loop_, *parts_, share, say)};
  }

  static void rethrow(const std::exception_ptr& error) {
    if (error) std::rethrow_exception(error);
  }

  // Makes the reference outputs that devices elsewhere may need before this machine measures, so that nothing disturbs
  // its measurements. This machine needs the same outputs.
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

// Every device needs some descriptors, and many systems start with a limit of 1024.
void allow_descriptors_for(std::size_t devices) {
  constexpr std::size_t kOfADevice = 5;
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

std::vector<DeviceEnding> fetch_fleet(const Installation& installation, const std::vector<Share>& shares,
                                      const Callbacks& callbacks, const std::function<bool()>& stop_requested) {
  allow_descriptors_for(shares.size());
  return Fleet(installation, shares, callbacks, stop_requested).run(&Fleet::fetch_from_device);
}

std::vector<DeviceEnding> tear_down_fleet(
    const Installation& installation, const std::vector<Share>& shares,
    const std::function<void(const std::string& device, const std::string& remark)>& on_remark,
    const std::function<bool()>& stop_requested) {
  Callbacks callbacks;
  callbacks.on_progress = [](const std::string&, const samples::Progress&) {};
  callbacks.on_remark = on_remark;
  return Fleet(installation, shares, callbacks, stop_requested).run(&Fleet::tear_down_device);
}

}  // namespace ngb::dispatch
