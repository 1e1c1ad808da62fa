// SPDX-License-Identifier: Apache-2.0
// How a run is taken off a device elsewhere: what it has measured is fetched, then everything of it is removed there.
#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "dispatch/delivery/bootstrap.h"
#include "dispatch/link/answer.h"
#include "dispatch/remote.h"

namespace ngb::dispatch {
namespace {

constexpr Nanoseconds kTeardownPatience = std::chrono::seconds(15);
constexpr Nanoseconds kRemovalPatience = std::chrono::minutes(5);

}  // namespace

// A machine may just be changing hands: what cannot be reached is looked for once more.
asio::awaitable<Status> RemoteRun::tear_down() {
  const Nanoseconds give_up = loop_.clock.now() + kTeardownPatience;
  Status done = co_await remove_all();
  while (!done && was_out_of_reach_ && loop_.clock.now() < give_up && !loop_.is_stopping) {
    co_await pause_.wait(kFirstPause);
    done = co_await remove_all();
  }
  co_await route_->leave();
  if (!done) co_return tl::unexpected(done.error());
  co_return Done{};
}

// Everything of the run on all machines. Error: of the first that was not made clean.
asio::awaitable<Status> RemoteRun::remove_all() {
  const Result<std::vector<Route::Remains>> all = co_await route_->remains(script_.size());
  if (!all) co_return tl::unexpected(all.error());
  was_out_of_reach_ = false;
  Status done;
  for (const Route::Remains& remains : *all) {
    const Talk<Done> talk = [&](Connection& device) { return remove_over(device, remains); };
    const Status removed = co_await visit(remains.command, talk);
    if (removed) {
      route_->forget(remains);
    } else if (done) {
      done = removed;
    }
  }
  if (!done) co_return tl::unexpected(done.error());
  co_return Done{};
}

asio::awaitable<Status> RemoteRun::fetch() {
  const Nanoseconds give_up = loop_.clock.now() + kTeardownPatience;
  const Result<bool> is_there = co_await route_->is_there();
  if (!is_there) co_return tl::unexpected(is_there.error());
  if (!*is_there) co_return fail("has no machine at present", share_.device.name);
  const Result<bool> prepared = co_await route_->prepare(follower_.last_sequence());
  if (!prepared) co_return tl::unexpected(prepared.error());
  for (;;) {
    const Talk<bool> talk = [this](Connection& device) { return fetch_over(device); };
    const Result<bool> fetched = co_await visit(route_->command(script_.size()), talk);
    if (!fetched) co_return tl::unexpected(fetched.error());
    if (*fetched) co_return Done{};
    if (loop_.is_stopping || loop_.clock.now() > give_up) break;
    co_await pause_.wait(kFirstPause);
  }
  co_return fail("cannot be reached: " + words_, share_.device.name);
}

// The agent that is started where none is at work needs the bundle; nothing else is delivered. False: the connection
// ended too early.
asio::awaitable<Result<bool>> RemoteRun::fetch_over(Connection& device) {
  const Result<std::optional<samples::Arrival>> arrival = co_await bootstrap(device, script_, parts_.agents);
  if (!arrival) co_return tl::unexpected(arrival.error());
  if (!arrival->has_value()) {
    const Status worth = route_->is_worth_another_try(device.last_words());
    if (!worth) co_return tl::unexpected(worth.error());
    co_return false;
  }
  const LocalTree* const bundle = parts_.bundle_for((*arrival)->machine);
  if (bundle == nullptr)
    co_return fail("nothing here is for a machine of the kind " + text::to_utf8((*arrival)->machine));
  const std::vector<std::string> wanted{bundle->tree.path};
  const std::vector<const LocalTree*> trees{bundle};
  const Result<std::optional<std::vector<std::string>>> lacking = co_await ask(device, wanted);
  if (!lacking) co_return tl::unexpected(lacking.error());
  if (!lacking->has_value()) co_return false;
  const Result<bool> delivered = co_await deliver_what_lacks(device, trees, **lacking);
  if (!delivered || !*delivered) co_return delivered;
  const std::string& path = bundle->tree.path;
  device.queue(
      samples::Attach{route_->run_folder(), path + "/bin/ngb-worker", path + "/lib/ngraphbench", route_->holder()});
  co_await device.flush();
  Result<bool> fetched = co_await follower_.fetch(device, kSilence);
  co_return fetched;
}

asio::awaitable<Status> RemoteRun::remove_over(Connection& device, const Route::Remains& remains) {
  const Result<std::optional<samples::Arrival>> arrival = co_await bootstrap(device, script_, parts_.agents);
  if (!arrival) co_return tl::unexpected(arrival.error());
  if (!arrival->has_value()) {
    was_out_of_reach_ = true;
    co_return fail(fmt::format("cannot be reached for the teardown: {}", device.last_words()), remains.machine,
                   "ngb cancel with the results folder tries again");
  }
  device.queue(samples::Remove{remains.run_folders, share_.remove_toolchains});
  co_await device.flush();
  const auto removed = co_await answer_of<samples::Removed>(device, kRemovalPatience);
  if (!removed) co_return tl::unexpected(removed.error());
  if (!removed->has_value()) {
    was_out_of_reach_ = true;
    co_return fail("the connection ended during the teardown", remains.machine);
  }
  if (!(*removed)->kept_for.empty()) {
    recording_.say(share_.device.name,
                   fmt::format("what runs share stays there for {}", fmt::join((*removed)->kept_for, ", ")));
  }
  if ((*removed)->left.empty() && (*removed)->processes_left == 0) co_return Done{};
  co_return fail(
      fmt::format("left behind: {}, {} processes", fmt::join((*removed)->left, ", "), (*removed)->processes_left),
      remains.machine);
}

}  // namespace ngb::dispatch
