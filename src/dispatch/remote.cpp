// SPDX-License-Identifier: Apache-2.0
#include "dispatch/remote.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include "base/hash.h"
#include "base/text.h"
#include "dispatch/delivery/bootstrap.h"
#include "dispatch/delivery/tree_delivery.h"
#include "dispatch/link/answer.h"
#include "dispatch/make_job.h"

namespace ngb::dispatch {
namespace {

constexpr Nanoseconds kLongestPause = std::chrono::seconds(30);
// A device without sha256sum cannot detect that its agent is damaged. The agent is sent again after this many failed
// starts.
constexpr int kStartsBeforeAnew = 3;

// Returns the tree of a user's model on the device, which is named by the content of its files.
std::string tree_of_model(const work::Model& model) {
  std::string lines;
  for (const work::UserFile& file : model.files) lines += file.sha256 + " " + file.name + "\n";
  return "models/" + hash::sha256(lines);
}

// Returns one tree for each set of files; several batch sizes may share a set.
std::vector<LocalTree> trees_of(const std::vector<work::Model>& models) {
  std::vector<LocalTree> trees;
  std::set<std::string> known;
  for (const work::Model& model : models) {
    const std::string path = tree_of_model(model);
    if (!known.insert(path).second) continue;
    LocalTree& tree = trees.emplace_back(LocalTree{{path, {}}, {}});
    for (const work::UserFile& file : model.files) {
      std::error_code code;
      tree.sources.emplace_back(file.path);
      tree.tree.files.push_back({file.name, file.sha256, std::filesystem::file_size(file.path, code), false});
    }
  }
  return trees;
}

std::string duration_words(Nanoseconds time) {
  return text::human_duration(std::chrono::duration<double>(time).count());
}

bool is_in(const std::vector<std::string>& paths, const std::string& path) {
  return std::find(paths.begin(), paths.end(), path) != paths.end();
}

}  // namespace

RemoteRun::RemoteRun(Loop& loop, Recording& recording, Parts& parts, References& references, const Share& share,
                     std::unique_ptr<Route> route)
    : loop_(loop),
      recording_(recording),
      parts_(parts),
      references_(references),
      share_(share),
      follower_(loop, recording, share),
      route_(std::move(route)),
      pause_(loop),
      script_(bootstrap_script(parts.agents, share.device)),
      log_(share.work_folder / "connection.log"),
      toolchains_(loop, parts, share.toolchains,
                  [this](const std::string& remark) { recording_.say(share_.device.name, remark); }) {}

asio::awaitable<Result<Ending>> RemoteRun::run() {
  if (share_.only_fetch) {
    const Result<bool> is_there = co_await route_->is_there();
    if (!is_there) co_return error_of(is_there);
    if (!*is_there) co_return fail("has no machine at present", share_.device.name, "ngb resume submits another job");
  }
  Nanoseconds last_heard = loop_.clock.now();
  int deaths = 0;
  for (Nanoseconds pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    const Nanoseconds asked = loop_.clock.now();
    // A batch job is on the device before any visit.
    if (route_->has_batch_job()) {
      const Status noted = co_await note_presence();
      if (has_code(noted, ErrorCode::lost)) break;
      if (!noted) co_return error_of(noted);
    }
    const Status prepared = co_await route_->prepare(follower_.results());
    if (has_code(prepared, ErrorCode::lost)) break;
    if (!prepared) co_return error_of(prepared);
    last_heard += loop_.clock.now() - asked;  // the wait for a machine is not silence of the device
    const std::uint64_t known_before = follower_.last_sequence();
    const Talk<Ending> talk = [this](Connection& device) { return visit_over(device); };
    Result<Ending> ending = co_await visit(route_->command(script_.size()), talk);
    const bool was_lost = has_code(ending, ErrorCode::lost);
    if (!ending && !was_lost) {
      (void)co_await route_->leave();
      co_return ending;
    }
    if (loop_.is_stopping) break;
    if (!was_lost) co_return ending;
    if (was_reached_ || follower_.last_sequence() > known_before) {
      last_heard = loop_.clock.now();
      pause = kFirstPause;
    }
    const bool is_dead = was_reached_ && !route_->was_cut_off(how_) && follower_.last_sequence() == known_before;
    deaths = is_dead ? deaths + 1 : 0;
    if (deaths > kMaxDeathsWithoutProgress) {
      co_return fail(fmt::format("the agent ended {} times without having done anything ({})", deaths, words_),
                     share_.device.name, "see agent.log in the run's folder there");
    }
    if (loop_.clock.now() - last_heard >= share_.lost_after) {
      co_return fail(fmt::format("could not be reached for {}: {}", duration_words(share_.lost_after), words_),
                     share_.device.name, "the results so far are kept; run the same command again to resume");
    }
    const Nanoseconds left = share_.lost_after - (loop_.clock.now() - last_heard);
    const Nanoseconds wait = std::min<Nanoseconds>(pause, left);  // the last try is when the device is given up
    recording_.say(share_.device.name, fmt::format("no connection ({}); trying again in {}, given up in {}", words_,
                                                   duration_words(wait), duration_words(left)));
    co_await pause_.wait(wait);
  }
  // A stopped run, which may be resumed at any later time, holds no machine.
  (void)co_await route_->leave();
  co_return Ending::stopped;
}

// Records once, before anything is delivered, that files of the run may be on the device. The record is durable when
// this returns.
asio::awaitable<Status> RemoteRun::note_presence() {
  if (is_noted_) co_return Done{};
  Status noted = co_await recording_.ready();
  if (noted) noted = recording_.note_presence(share_.device.name);
  if (noted) noted = co_await recording_.commit();
  is_noted_ = noted.has_value();
  co_return noted;
}

// Runs the bootstrap. Returns an error without the code `lost` if no further try can help. An agent that is on the
// device and repeatedly fails to start is sent again, once.
asio::awaitable<Result<samples::Arrival>> RemoteRun::arrive(Connection& device) {
  bool had_agent = false;
  Result<samples::Arrival> arrival = co_await bootstrap(device, script_, parts_.agents, &had_agent);
  const bool was_lost = has_code(arrival, ErrorCode::lost);
  if (!arrival && !was_lost) co_return arrival;
  script_ = bootstrap_script(parts_.agents, share_.device);
  failed_starts_ = had_agent && was_lost && !loop_.is_stopping ? failed_starts_ + 1 : 0;
  if (was_lost) {
    if (failed_starts_ == kStartsBeforeAnew && !std::exchange(was_sent_anew_, true)) {
      recording_.say(share_.device.name,
                     fmt::format("the agent there does not start ({}); it is sent again", device.last_words()));
      script_ = bootstrap_script(parts_.agents, share_.device, Trust::none);
    }
    // Once the device has sent an event, every failure may be temporary.
    const bool was_ever_reached = follower_.last_sequence() > 0;
    const Status worth = was_ever_reached ? Status{} : route_->is_worth_another_try(device.last_words());
    if (!worth) co_return error_of(worth);
  }
  co_return arrival;
}

asio::awaitable<Result<Ending>> RemoteRun::visit_over(Connection& device) {
  was_reached_ = false;
  const Result<samples::Arrival> arrival = co_await arrive(device);
  if (!arrival) co_return error_of(arrival);
  was_reached_ = true;
  const Status noted = co_await note_presence();
  if (!noted) co_return error_of(noted);
  const Status delivered = co_await deliver_all(device, *arrival);
  if (!delivered) co_return error_of(delivered);
  const std::string& bundle = parts_.bundle_for(arrival->machine)->tree.path;
  device.queue(
      samples::Attach{route_->run_folder(), bundle + "/bin/ngb-worker", bundle + "/lib/ngraphbench", route_->holder()});
  co_await device.flush();
  const MakeJob job = [this] { return job_there(); };
  Result<Ending> ending = co_await follower_.follow(device, job, kSilence);
  co_return ending;
}

// Returns the job in the form that this device can run. The cells of a toolchain that is missing there and was found
// nowhere fail with that reason. If the reference's toolchain is missing, the job contains the reference outputs that
// were made here.
Result<work::Job> RemoteRun::job_there() const {
  Result<work::Job> job = share_.job();
  if (!job) return job;
  job->client_facts = route_->facts();
  for (std::size_t i = 0; i < job->models.size(); ++i) {
    work::Model& model = job->models[i];
    const std::string tree = tree_of_model(model);
    for (work::UserFile& file : model.files) file.path = tree + "/" + file.name;
    const auto made = references_of_models_.find(model.key);
    if (made == references_of_models_.end()) continue;
    const MadeReference& reference = *made->second;
    const std::string path = reference.why_not.empty() ? reference.tree.tree.path + "/" + kReferenceFile : "";
    job->given_references.push_back({static_cast<int>(i), path, reference.key, reference.why_not});
  }
  for (work::Place& place : job->places) {
    for (const auto& [path, why] : toolchains_.missing()) {
      if (place.toolchain_dir.starts_with(path + "/")) place.why_missing = why.text();
    }
    for (const auto& [path, sha256] : manifests_) {
      if (place.toolchain_dir.starts_with(path + "/")) place.manifest_sha256 = sha256;
    }
  }
  return job;
}

asio::awaitable<Status> RemoteRun::deliver_all(Connection& device, const samples::Arrival& arrival) {
  const LocalTree* const bundle = parts_.bundle_for(arrival.machine);
  if (bundle == nullptr) {
    co_return fail("this installation has no bundle for a machine of the kind " + text::to_utf8(arrival.machine));
  }
  const std::vector<LocalTree> models = trees_of(share_.files);
  std::vector<std::string> wanted{bundle->tree.path};
  for (const LocalTree& model : models) wanted.push_back(model.tree.path);
  for (const ToolchainTree& toolchain : share_.toolchains) wanted.push_back(toolchain.path);
  const Result<std::vector<std::string>> lacking = co_await ask(device, wanted, route_->run_folder());
  if (!lacking) co_return error_of(lacking);
  std::vector<const LocalTree*> trees{bundle};
  for (const LocalTree& model : models) trees.push_back(&model);
  Status delivered = co_await deliver_what_lacks(device, trees, *lacking);
  if (!delivered) co_return delivered;
  const std::uint64_t keep_free_bytes = limits_of(share_.device).free_disk_bytes.value_or(0);
  const OnBytesLeft show = [this](std::uint64_t left_bytes) { show_bytes_left(left_bytes); };
  delivered = co_await toolchains_.deliver(device, arrival, *lacking, keep_free_bytes, show);
  if (!delivered) co_return delivered;
  const bool has_references =
      std::none_of(share_.toolchains.begin(), share_.toolchains.end(), [this](const ToolchainTree& toolchain) {
        return toolchain.makes_references && toolchains_.missing().contains(toolchain.path);
      });
  references_of_models_.clear();
  if (!has_references) delivered = co_await deliver_references(device);
  if (!delivered) co_return delivered;
  Result<Manifests> recorded = co_await record_toolchains(device, arrival.machine, share_, recording_);
  if (!recorded) co_return error_of(recorded);
  manifests_ = *std::move(recorded);
  co_return Done{};
}

// Makes the reference outputs here, unless that is done already, and delivers them. The device waits meanwhile.
asio::awaitable<Status> RemoteRun::deliver_references(Connection& device) {
  Result<References::OfModels> made = co_await references_.of(share_);
  if (!made) co_return error_of(made);
  references_of_models_ = *std::move(made);
  std::vector<const LocalTree*> trees;
  std::vector<std::string> wanted;
  for (const auto& [id, reference] : references_of_models_) {
    if (!reference->why_not.empty()) continue;
    trees.push_back(&reference->tree);
    wanted.push_back(reference->tree.tree.path);
  }
  const Result<std::vector<std::string>> lacking = co_await ask(device, wanted, route_->run_folder());
  if (!lacking) co_return error_of(lacking);
  Status delivered = co_await deliver_what_lacks(device, trees, *lacking);
  co_return delivered;
}

asio::awaitable<Status> RemoteRun::deliver_what_lacks(Connection& device, const std::vector<const LocalTree*>& trees,
                                                      const std::vector<std::string>& lacking) {
  const std::uint64_t keep_free_bytes = limits_of(share_.device).free_disk_bytes.value_or(0);
  const OnBytesLeft show = [this](std::uint64_t left_bytes) { show_bytes_left(left_bytes); };
  const OnProgress say_wait = [this](const std::string& doing) {
    if (std::exchange(waits_for_, doing) != doing) recording_.say(share_.device.name, doing);
  };
  for (const LocalTree* tree : trees) {
    if (!is_in(lacking, tree->tree.path)) continue;
    const Status delivered = co_await deliver(device, *tree, keep_free_bytes, show, say_wait);
    if (!delivered) co_return error_of(delivered);
  }
  co_return Done{};
}

void RemoteRun::show_bytes_left(std::uint64_t left_bytes) {
  samples::Progress progress;
  progress.doing = fmt::format("{}: {} to deliver", share_.device.name, text::human_bytes(left_bytes));
  recording_.show(share_.device.name, progress);
}

}  // namespace ngb::dispatch
