// SPDX-License-Identifier: Apache-2.0
#include "dispatch/ssh.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/hash.h"
#include "base/text.h"
#include "dispatch/answer.h"
#include "dispatch/bootstrap.h"
#include "dispatch/delivery.h"

namespace ngb::dispatch {
namespace {

constexpr Nanoseconds kFirstPause = std::chrono::seconds(1);
constexpr int kMaxDeathsWithoutProgress = 3;
// How ssh ends when the connection did; else it ends as the program there.
constexpr const char* kConnectionLost = "exit code 255";
constexpr Nanoseconds kRemovalPatience = std::chrono::minutes(5);
constexpr Nanoseconds kLongestPause = std::chrono::seconds(30);

// A run's folder on a device: two devices of a study may be one machine.
std::string run_folder(const samples::Job& job) {
  return fmt::format("runs/{}-{}", job.run_id, hash::sha256(job.device).substr(0, 8));
}

}  // namespace

SshRun::SshRun(Loop& loop, Recording& recording, const Parts& parts, const Share& share)
    : loop_(loop),
      recording_(recording),
      parts_(parts),
      share_(share),
      job_(share.job),
      follower_(loop, recording, job_, share.last_sequence),
      pause_(loop),
      script_(bootstrap_script(parts.agents, share.device)),
      log_(share.work_folder / "ssh.log") {
  for (samples::ModelWork& model : job_.models) take_along(model);
}

asio::awaitable<Result<Ending>> SshRun::run() {
  Nanoseconds last_heard = system_clock().now();
  int deaths = 0;
  for (Nanoseconds pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    const std::uint64_t known_before = follower_.last_sequence();
    Result<std::optional<Ending>> ending = co_await visit();
    if (!ending) co_return tl::unexpected(ending.error());
    if (ending->has_value()) co_return **ending;
    if (loop_.is_stopping) co_return Ending::stopped;
    if (was_reached_ || follower_.last_sequence() > known_before) {
      last_heard = system_clock().now();
      pause = kFirstPause;
    }
    const bool is_dead = was_reached_ && how_ != kConnectionLost && follower_.last_sequence() == known_before;
    deaths = is_dead ? deaths + 1 : 0;
    if (deaths > kMaxDeathsWithoutProgress) {
      co_return fail(fmt::format("the agent ended {} times without having done anything ({})", deaths, words_),
                     share_.device.name, "see agent.log in the run's folder there");
    }
    if (system_clock().now() - last_heard > share_.lost_after) {
      co_return fail(
          fmt::format("not heard of for {}: {}",
                      text::human_duration(std::chrono::duration<double>(share_.lost_after).count()), words_),
          share_.device.name, "what is measured is kept; run the same command again to go on");
    }
    recording_.say(share_.device.name, fmt::format("no connection ({}); trying again in {}", words_,
                                                   text::human_duration(std::chrono::duration<double>(pause).count())));
    co_await pause_.wait(pause);
    if (loop_.is_stopping) co_return Ending::stopped;
  }
}

asio::awaitable<Status> SshRun::tear_down() {
  Result<std::shared_ptr<Connection>> device = open();
  if (!device) co_return tl::unexpected(device.error());
  const Status done = co_await tear_down_over(**device);
  co_await (*device)->end();
  if (!done) co_return tl::unexpected(done.error());
  co_return Done{};
}

Result<std::shared_ptr<Connection>> SshRun::open() {
  std::error_code code;
  log_begin_ = std::filesystem::file_size(log_, code);
  if (code) log_begin_ = 0;
  return Connection::start(loop_, ssh_command(share_.device.ssh, bootstrap_command(script_.size())), log_);
}

// One connection. Nothing: it ended before the job did; words_ says how.
asio::awaitable<Result<std::optional<Ending>>> SshRun::visit() {
  was_reached_ = false;
  const Result<std::shared_ptr<Connection>> device = open();
  if (!device) co_return tl::unexpected(device.error());
  Result<std::optional<Ending>> ending = co_await visit_over(**device);
  how_ = co_await (*device)->end();
  words_ = last_words(log_, log_begin_);
  if (words_.empty()) words_ = how_;
  co_return ending;
}

asio::awaitable<Result<std::optional<Ending>>> SshRun::visit_over(Connection& device) {
  const Result<std::optional<samples::Arrival>> arrival = co_await bootstrap(device, script_, parts_.agents);
  if (!arrival) co_return tl::unexpected(arrival.error());
  if (!arrival->has_value()) {
    if (const Status worth = is_worth_another_try(); !worth) co_return tl::unexpected(worth.error());
    co_return std::nullopt;
  }
  was_reached_ = true;
  const Result<bool> delivered = co_await deliver_all(device, **arrival);
  if (!delivered) co_return tl::unexpected(delivered.error());
  if (!*delivered) co_return std::nullopt;
  const std::string& bundle = parts_.bundle_for((*arrival)->machine)->tree.path;
  device.queue(samples::Attach{run_folder(job_), bundle + "/bin/ngb-worker", bundle + "/lib/ngraphbench"});
  co_await device.flush();
  Result<std::optional<Ending>> ending = co_await follower_.follow(device);
  co_return ending;
}

// What ssh says when no further try can help. Once the device was reached, anything may pass.
Status SshRun::is_worth_another_try() const {
  if (follower_.last_sequence() > 0) return Done{};
  const std::string said = last_words(log_, log_begin_);
  for (const auto& [words, advice] :
       {std::pair{"Host key verification failed", "check the host's key, then run: ssh HOST true"},
        {"REMOTE HOST IDENTIFICATION HAS CHANGED", "find out why before you trust the new key"},
        {"Permission denied", "make a login with a key work: ssh HOST true"},
        {"Could not resolve hostname", "check the device's host, or ~/.ssh/config"},
        {"Bad configuration option", "correct the ssh configuration"}}) {
    if (said.find(words) != std::string::npos) return fail(said, share_.device.name, advice);
  }
  return Done{};
}

// A user's file goes with the job, under the name of its content.
void SshRun::take_along(samples::ModelWork& model) {
  if (model.path.empty()) return;
  const std::filesystem::path source = model.path;
  std::error_code code;
  LocalTree tree{{"models/" + model.file_sha256, {}}, {source}};
  tree.tree.files.push_back({"model.onnx", model.file_sha256, std::filesystem::file_size(source, code), false});
  model.path = tree.tree.path + "/model.onnx";
  models_.push_back(std::move(tree));
}

asio::awaitable<Result<bool>> SshRun::deliver_all(Connection& device, const samples::Arrival& arrival) {
  const LocalTree* const bundle = parts_.bundle_for(arrival.machine);
  if (bundle == nullptr) co_return fail("nothing here is for a machine of the kind " + text::to_utf8(arrival.machine));
  std::vector<std::string> wanted{bundle->tree.path};
  for (const LocalTree& model : models_) wanted.push_back(model.tree.path);
  for (const ToolchainTree& toolchain : share_.toolchains) wanted.push_back(toolchain.path);
  const Result<std::optional<std::vector<std::string>>> lacking = co_await ask(device, wanted);
  if (!lacking) co_return tl::unexpected(lacking.error());
  if (!lacking->has_value()) co_return false;
  const auto lacks = [&](const std::string& path) {
    return std::find((*lacking)->begin(), (*lacking)->end(), path) != (*lacking)->end();
  };
  const OnBytesLeft show = [&](std::uint64_t left_bytes) {
    samples::Progress progress;
    progress.doing = fmt::format("{}: {} to deliver", share_.device.name, text::human_bytes(left_bytes));
    recording_.show(share_.device.name, progress);
  };
  std::vector<const LocalTree*> trees{bundle};
  for (const LocalTree& model : models_) trees.push_back(&model);
  for (const LocalTree* tree : trees) {
    if (!lacks(tree->tree.path)) continue;
    const Result<bool> delivered = co_await deliver(device, *tree, show);
    if (!delivered || !*delivered) co_return delivered;
  }
  for (const ToolchainTree& toolchain : share_.toolchains) {
    if (!lacks(toolchain.path)) continue;
    if (toolchain.folder.empty() || parts_.machine != arrival.machine) {
      forget_toolchain(toolchain);
      continue;
    }
    const Result<LocalTree> tree = tree_of(toolchain.folder, toolchain.path);
    if (!tree) co_return tl::unexpected(tree.error());
    const Result<bool> delivered = co_await deliver(device, *tree, show);
    if (!delivered || !*delivered) co_return delivered;
  }
  co_return true;
}

// The device has none, and ours is for another kind of machine: its cells fail, with that as their reason.
void SshRun::forget_toolchain(const ToolchainTree& toolchain) {
  for (samples::CellWork& cell : job_.cells) {
    if (cell.compiler.toolchain_dir.starts_with(toolchain.path)) cell.compiler.toolchain_dir.clear();
  }
  if (job_.reference && job_.reference->toolchain_dir.starts_with(toolchain.path)) {
    job_.reference->toolchain_dir.clear();
  }
}

asio::awaitable<Status> SshRun::tear_down_over(Connection& device) {
  const Result<std::optional<samples::Arrival>> arrival = co_await bootstrap(device, script_, parts_.agents);
  if (!arrival) co_return tl::unexpected(arrival.error());
  if (!arrival->has_value()) co_return fail("cannot be reached for the teardown", share_.device.name);
  device.queue(samples::Remove{run_folder(job_), share_.remove_toolchains});
  co_await device.flush();
  const auto removed = co_await answer_of<samples::Removed>(device, kRemovalPatience);
  if (!removed) co_return tl::unexpected(removed.error());
  if (!removed->has_value()) co_return fail("the connection ended during the teardown", share_.device.name);
  if ((*removed)->left.empty() && (*removed)->processes_left == 0) co_return Done{};
  co_return fail(
      fmt::format("left behind: {}, {} processes", fmt::join((*removed)->left, ", "), (*removed)->processes_left),
      share_.device.name);
}

}  // namespace ngb::dispatch
