// SPDX-License-Identifier: Apache-2.0
// Removes a run from a device elsewhere: fetches what was measured there, and deletes everything of the run.
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

// Tries again for kTeardownPatience, because a machine may be unreachable only while it passes from one job to another.
asio::awaitable<Status> RemoteRun::tear_down() {
  const Nanoseconds give_up = loop_.clock.now() + kTeardownPatience;
  Status done = co_await remove_all();
  while (has_code(done, ErrorCode::lost) && loop_.clock.now() < give_up && !loop_.is_stopping) {
    co_await pause_.wait(kFirstPause);
    done = co_await remove_all();
  }
  const Status left = co_await route_->leave();
  if (done && !left) co_return error_of(left);
  co_return done;
}

// Removes everything of the run from all its machines. Returns the error of a machine on which something is left, with
// the code `lost` if any machine could not be reached.
asio::awaitable<Status> RemoteRun::remove_all() {
  const Result<std::vector<Route::Remains>> all = co_await route_->remains(script_.size());
  if (!all) co_return error_of(all);
  Status done;
  for (const Route::Remains& remains : *all) {
    const Talk<Done> talk = [&](Connection& device) { return remove_over(device, remains); };
    const Status removed = co_await visit(remains.command, talk);
    if (removed) {
      route_->forget(remains);
    } else if (done || (has_code(removed, ErrorCode::lost) && !has_code(done, ErrorCode::lost))) {
      done = removed;
    }
  }
  co_return done;
}

// Succeeds at once where nothing of the run is left: what was not fetched has gone with the machine.
asio::awaitable<Status> RemoteRun::fetch() {
  const Nanoseconds give_up = loop_.clock.now() + kTeardownPatience;
  const Result<std::vector<Route::Remains>> all = co_await route_->remains(script_.size());
  if (!all) co_return error_of(all);
  if (all->empty()) co_return Done{};
  const Result<bool> is_there = co_await route_->is_there();
  if (!is_there) co_return error_of(is_there);
  if (!*is_there) co_return fail("has no machine at present", share_.device.name);
  const Status prepared = co_await route_->prepare(follower_.results());
  if (!prepared) co_return error_of(prepared);
  for (;;) {
    const Talk<Done> talk = [this](Connection& device) { return fetch_over(device); };
    Status fetched = co_await visit(route_->command(script_.size()), talk);
    if (!has_code(fetched, ErrorCode::lost)) co_return fetched;
    if (loop_.is_stopping || loop_.clock.now() > give_up) break;
    co_await pause_.wait(kFirstPause);
  }
  co_return fail("cannot be reached: " + words_, share_.device.name);
}

// Delivers nothing but the bundle, which the agent needs if it has to be started.
asio::awaitable<Status> RemoteRun::fetch_over(Connection& device) {
  const Result<samples::Arrival> arrival = co_await bootstrap(device, script_, parts_.agents);
  if (has_code(arrival, ErrorCode::lost)) {
    const Status worth = route_->is_worth_another_try(device.last_words());
    if (!worth) co_return error_of(worth);
  }
  if (!arrival) co_return error_of(arrival);
  const LocalTree* const bundle = parts_.bundle_for(arrival->machine);
  if (bundle == nullptr) {
    co_return fail("this installation has no bundle for a machine of the kind " + text::to_utf8(arrival->machine));
  }
  const std::vector<std::string> wanted{bundle->tree.path};
  const std::vector<const LocalTree*> trees{bundle};
  const Result<std::vector<std::string>> lacking = co_await ask(device, wanted);
  if (!lacking) co_return error_of(lacking);
  const Status delivered = co_await deliver_what_lacks(device, trees, *lacking);
  if (!delivered) co_return error_of(delivered);
  const std::string& path = bundle->tree.path;
  device.queue(
      samples::Attach{route_->run_folder(), path + "/bin/ngb-worker", path + "/lib/ngraphbench", route_->holder()});
  co_await device.flush();
  Status fetched = co_await follower_.fetch(device, kSilence);
  co_return fetched;
}

asio::awaitable<Status> RemoteRun::remove_over(Connection& device, const Route::Remains& remains) {
  const Result<samples::Arrival> arrival = co_await bootstrap(device, script_, parts_.agents);
  if (has_code(arrival, ErrorCode::lost)) {
    co_return fail(fmt::format("cannot be reached for the teardown: {}", device.last_words()), remains.machine,
                   "ngb cancel with the results folder tries again", ErrorCode::lost);
  }
  if (!arrival) co_return error_of(arrival);
  device.queue(samples::Remove{remains.run_folders, share_.remove_toolchains});
  co_await device.flush();
  const auto removed = co_await answer_of<samples::Removed>(device, kRemovalPatience);
  if (has_code(removed, ErrorCode::lost)) {
    co_return fail("the connection ended during the teardown", remains.machine, {}, ErrorCode::lost);
  }
  if (!removed) co_return error_of(removed);
  if (!removed->kept_for.empty()) {
    recording_.say(share_.device.name,
                   fmt::format("files that runs share are kept there for {}", fmt::join(removed->kept_for, ", ")));
  }
  if (removed->left.empty() && removed->processes_left == 0) co_return Done{};
  co_return fail(fmt::format("left behind: {}, {} processes", fmt::join(removed->left, ", "), removed->processes_left),
                 remains.machine);
}

}  // namespace ngb::dispatch
