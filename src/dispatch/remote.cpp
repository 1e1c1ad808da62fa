// SPDX-License-Identifier: Apache-2.0
#include "dispatch/remote.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "base/hash.h"
#include "base/text.h"
#include "dispatch/answer.h"
#include "dispatch/bootstrap.h"
#include "dispatch/delivery.h"
#include "dispatch/make_job.h"

namespace ngb::dispatch {
namespace {

constexpr Nanoseconds kFirstPause = std::chrono::seconds(1);
constexpr Nanoseconds kLongestPause = std::chrono::seconds(30);
constexpr Nanoseconds kTeardownPatience = std::chrono::seconds(15);
constexpr Nanoseconds kRemovalPatience = std::chrono::minutes(5);
// What leads there may not notice that there is nothing any more.
constexpr Nanoseconds kSilence = std::chrono::seconds(20);
constexpr Nanoseconds kEndPatience = std::chrono::seconds(3);
constexpr int kMaxDeathsWithoutProgress = 3;

// A user's files are called by their content there.
std::string tree_of_model(const samples::ModelWork& model) {
  std::string lines;
  for (const UserFile& file : model.files) lines += file.sha256 + " " + file.name + "\n";
  return "models/" + hash::sha256(lines);
}

// One for each set of files, which several batch sizes share.
std::vector<LocalTree> trees_of(const std::vector<samples::ModelWork>& models) {
  std::vector<LocalTree> trees;
  std::set<std::string> known;
  for (const samples::ModelWork& model : models) {
    const std::string path = tree_of_model(model);
    if (!known.insert(path).second) continue;
    LocalTree& tree = trees.emplace_back(LocalTree{{path, {}}, {}});
    for (const UserFile& file : model.files) {
      std::error_code code;
      tree.sources.emplace_back(file.path);
      tree.tree.files.push_back({file.name, file.sha256, std::filesystem::file_size(file.path, code), false});
    }
  }
  return trees;
}

bool is_in(const std::vector<std::string>& paths, const std::string& path) {
  return std::find(paths.begin(), paths.end(), path) != paths.end();
}

void forget_toolchain(samples::CompilerWork& compiler, const std::string& path, const Error& why) {
  if (compiler.toolchain_dir.starts_with(path + "/")) compiler.why_missing = why.text();
}

}  // namespace

RemoteRun::RemoteRun(Loop& loop, Recording& recording, Parts& parts, References& references, const Share& share)
    : loop_(loop),
      recording_(recording),
      parts_(parts),
      references_(references),
      share_(share),
      follower_(loop, recording, share),
      route_(route_to(loop, parts, share,
                      [this](const std::string& remark) { recording_.say(share_.device.name, remark); })),
      pause_(loop),
      script_(bootstrap_script(parts.agents, share.device)),
      log_(share.work_folder / "connection.log"),
      toolchains_(loop, parts, share.toolchains,
                  [this](const std::string& remark) { recording_.say(share_.device.name, remark); }) {}

asio::awaitable<Result<Ending>> RemoteRun::run() {
  if (share_.only_fetch) {
    const Result<bool> is_there = co_await route_->is_there();
    if (!is_there) co_return tl::unexpected(is_there.error());
    if (!*is_there) co_return fail("has no machine at present", share_.device.name, "ngb resume submits another job");
  }
  Nanoseconds last_heard = system_clock().now();
  int deaths = 0;
  for (Nanoseconds pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    const Nanoseconds asked = system_clock().now();
    const Result<bool> prepared = co_await route_->prepare(follower_.last_sequence());
    if (!prepared) co_return tl::unexpected(prepared.error());
    if (!*prepared) break;
    last_heard += system_clock().now() - asked;  // nobody was there to be heard
    const std::uint64_t known_before = follower_.last_sequence();
    Result<std::optional<Ending>> ending = co_await visit();
    if (!ending) {
      co_await route_->leave();
      co_return tl::unexpected(ending.error());
    }
    if (loop_.is_stopping) break;
    if (ending->has_value()) co_return **ending;
    if (was_reached_ || follower_.last_sequence() > known_before) {
      last_heard = system_clock().now();
      pause = kFirstPause;
    }
    const bool is_dead = was_reached_ && !route_->was_cut_off(how_) && follower_.last_sequence() == known_before;
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
  }
  // No machine is held for a run that goes on some other time.
  co_await route_->leave();
  co_return Ending::stopped;
}

// A machine may just be changing hands: what cannot be reached is looked for once more.
asio::awaitable<Status> RemoteRun::tear_down() {
  const Nanoseconds give_up = system_clock().now() + kTeardownPatience;
  Status done = co_await remove_all();
  while (!done && system_clock().now() < give_up && !loop_.is_stopping) {
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
  Status done;
  for (const Route::Remains& remains : *all) {
    const Status removed = co_await remove(remains);
    if (removed) {
      route_->forget(remains);
    } else if (done) {
      done = removed;
    }
  }
  if (!done) co_return tl::unexpected(done.error());
  co_return Done{};
}

Result<std::shared_ptr<Connection>> RemoteRun::open(const Command& command) {
  std::error_code code;
  log_begin_ = std::filesystem::file_size(log_, code);
  if (code) log_begin_ = 0;
  return Connection::start(loop_, command, log_);
}

// One connection. Nothing: it ended before the job did; words_ says how.
asio::awaitable<Result<std::optional<Ending>>> RemoteRun::visit() {
  was_reached_ = false;
  const Result<std::shared_ptr<Connection>> device = open(route_->command(script_.size()));
  if (!device) co_return tl::unexpected(device.error());
  Result<std::optional<Ending>> ending = co_await visit_over(**device);
  how_ = co_await (*device)->end(kEndPatience);
  words_ = last_words(log_, log_begin_);
  if (words_.empty()) words_ = how_;
  co_return ending;
}

asio::awaitable<Result<std::optional<Ending>>> RemoteRun::visit_over(Connection& device) {
  const Result<std::optional<samples::Arrival>> arrival = co_await bootstrap(device, script_, parts_.agents);
  if (!arrival) co_return tl::unexpected(arrival.error());
  if (!arrival->has_value()) {
    // Once the device was reached, anything may pass.
    const bool was_ever_reached = follower_.last_sequence() > 0;
    const Status worth = was_ever_reached ? Status{} : route_->is_worth_another_try(last_words(log_, log_begin_));
    if (!worth) co_return tl::unexpected(worth.error());
    co_return std::nullopt;
  }
  was_reached_ = true;
  const Result<bool> delivered = co_await deliver_all(device, **arrival);
  if (!delivered) co_return tl::unexpected(delivered.error());
  if (!*delivered) co_return std::nullopt;
  const std::string& bundle = parts_.bundle_for((*arrival)->machine)->tree.path;
  device.queue(
      samples::Attach{route_->run_folder(), bundle + "/bin/ngb-worker", bundle + "/lib/ngraphbench", route_->holder()});
  co_await device.flush();
  const MakeJob job = [this] { return job_there(); };
  Result<std::optional<Ending>> ending = co_await follower_.follow(device, job, kSilence);
  co_return ending;
}

// The job as the device can do it. A toolchain that it lacks and that is not to be had: its cells fail, with why as
// their reason; if it is the reference's, we have made the reference outputs.
Result<samples::Job> RemoteRun::job_there() const {
  Result<samples::Job> job = share_.job();
  if (!job) return job;
  for (samples::ModelWork& model : job->models) {
    const std::string tree = tree_of_model(model);
    for (UserFile& file : model.files) file.path = tree + "/" + file.name;
    const auto made = references_of_models_.find(model.id);
    if (made == references_of_models_.end()) continue;
    model.no_reference = made->second->why_not;
    if (model.no_reference.empty()) model.reference_path = made->second->tree.tree.path + "/" + kReferenceFile;
  }
  for (const auto& [path, why] : toolchains_.missing()) {
    for (samples::CellWork& cell : job->cells) forget_toolchain(cell.compiler, path, why);
    if (job->reference) forget_toolchain(*job->reference, path, why);
    if (job->exporter) forget_toolchain(*job->exporter, path, why);
  }
  return job;
}

asio::awaitable<Result<bool>> RemoteRun::deliver_all(Connection& device, const samples::Arrival& arrival) {
  const LocalTree* const bundle = parts_.bundle_for(arrival.machine);
  if (bundle == nullptr) co_return fail("nothing here is for a machine of the kind " + text::to_utf8(arrival.machine));
  const std::vector<LocalTree> models = trees_of(share_.files);
  std::vector<std::string> wanted{bundle->tree.path};
  for (const LocalTree& model : models) wanted.push_back(model.tree.path);
  for (const ToolchainTree& toolchain : share_.toolchains) wanted.push_back(toolchain.path);
  const Result<std::optional<std::vector<std::string>>> lacking = co_await ask(device, wanted);
  if (!lacking) co_return tl::unexpected(lacking.error());
  if (!lacking->has_value()) co_return false;
  std::vector<const LocalTree*> trees{bundle};
  for (const LocalTree& model : models) trees.push_back(&model);
  Result<bool> delivered = co_await deliver_what_lacks(device, trees, **lacking);
  if (!delivered || !*delivered) co_return delivered;
  const std::uint64_t keep_free_bytes = limits_of(share_.device).free_disk_bytes;
  const OnBytesLeft show = [this](std::uint64_t left_bytes) { show_bytes_left(left_bytes); };
  delivered = co_await toolchains_.deliver(device, arrival, **lacking, keep_free_bytes, show);
  if (!delivered || !*delivered) co_return delivered;
  const bool has_references =
      std::none_of(share_.toolchains.begin(), share_.toolchains.end(), [this](const ToolchainTree& toolchain) {
        return toolchain.makes_references && toolchains_.missing().contains(toolchain.path);
      });
  references_of_models_.clear();
  if (!has_references) delivered = co_await deliver_references(device);
  if (!delivered || !*delivered) co_return delivered;
  const Result<bool> recorded = co_await record_toolchains(device, arrival.machine, share_, recording_);
  co_return recorded;
}

// Made here, if that is still to be done; the device waits.
asio::awaitable<Result<bool>> RemoteRun::deliver_references(Connection& device) {
  Result<References::OfModels> made = co_await references_.of(share_);
  if (!made) co_return tl::unexpected(made.error());
  references_of_models_ = *std::move(made);
  std::vector<const LocalTree*> trees;
  std::vector<std::string> wanted;
  for (const auto& [id, reference] : references_of_models_) {
    if (!reference->why_not.empty()) continue;
    trees.push_back(&reference->tree);
    wanted.push_back(reference->tree.tree.path);
  }
  const Result<std::optional<std::vector<std::string>>> lacking = co_await ask(device, wanted);
  if (!lacking) co_return tl::unexpected(lacking.error());
  if (!lacking->has_value()) co_return false;
  Result<bool> delivered = co_await deliver_what_lacks(device, trees, **lacking);
  co_return delivered;
}

asio::awaitable<Result<bool>> RemoteRun::deliver_what_lacks(Connection& device,
                                                            const std::vector<const LocalTree*>& trees,
                                                            const std::vector<std::string>& lacking) {
  const std::uint64_t keep_free_bytes = limits_of(share_.device).free_disk_bytes;
  const OnBytesLeft show = [this](std::uint64_t left_bytes) { show_bytes_left(left_bytes); };
  for (const LocalTree* tree : trees) {
    if (!is_in(lacking, tree->tree.path)) continue;
    const Result<bool> delivered = co_await deliver(device, *tree, keep_free_bytes, show);
    if (!delivered || !*delivered) co_return delivered;
  }
  co_return true;
}

void RemoteRun::show_bytes_left(std::uint64_t left_bytes) {
  samples::Progress progress;
  progress.doing = fmt::format("{}: {} to deliver", share_.device.name, text::human_bytes(left_bytes));
  recording_.show(share_.device.name, progress);
}

asio::awaitable<Status> RemoteRun::remove(const Route::Remains& remains) {
  const Result<std::shared_ptr<Connection>> device = open(remains.command);
  if (!device) co_return tl::unexpected(device.error());
  const Status done = co_await remove_over(**device, remains);
  co_await (*device)->end(kEndPatience);
  if (!done) co_return tl::unexpected(done.error());
  co_return Done{};
}

asio::awaitable<Status> RemoteRun::remove_over(Connection& device, const Route::Remains& remains) {
  const Result<std::optional<samples::Arrival>> arrival = co_await bootstrap(device, script_, parts_.agents);
  if (!arrival) co_return tl::unexpected(arrival.error());
  if (!arrival->has_value()) {
    co_return fail(fmt::format("cannot be reached for the teardown: {}", last_words(log_, log_begin_)), remains.machine,
                   "ngb cancel with the results folder tries again");
  }
  device.queue(samples::Remove{remains.run_folders, share_.remove_toolchains});
  co_await device.flush();
  const auto removed = co_await answer_of<samples::Removed>(device, kRemovalPatience);
  if (!removed) co_return tl::unexpected(removed.error());
  if (!removed->has_value()) co_return fail("the connection ended during the teardown", remains.machine);
  if ((*removed)->left.empty() && (*removed)->processes_left == 0) co_return Done{};
  co_return fail(
      fmt::format("left behind: {}, {} processes", fmt::join((*removed)->left, ", "), (*removed)->processes_left),
      remains.machine);
}

}  // namespace ngb::dispatch
