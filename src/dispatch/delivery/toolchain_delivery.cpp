// SPDX-License-Identifier: Apache-2.0
#include "dispatch/delivery/toolchain_delivery.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "dispatch/link/answer.h"

namespace ngb::dispatch {
namespace {

constexpr Nanoseconds kInspectionPatience = std::chrono::minutes(1);
// pip on the device may have to download gigabytes.
constexpr Nanoseconds kInstallPatience = std::chrono::hours(1);
constexpr Nanoseconds kMargin = std::chrono::minutes(1);

}  // namespace

asio::awaitable<Status> ToolchainDelivery::deliver(Connection& device, const samples::Arrival& arrival,
                                                   const std::vector<std::string>& lacking,
                                                   std::uint64_t keep_free_bytes, const OnBytesLeft& on_bytes_left) {
  missing_.clear();
  std::optional<samples::Description> description;
  for (const ToolchainTree& toolchain : toolchains_) {
    if (std::find(lacking.begin(), lacking.end(), toolchain.path) == lacking.end()) continue;
    if (!description) {
      device.queue(samples::Describe{});
      co_await device.flush();
      Result<samples::Description> answer = co_await answer_of<samples::Description>(device, kInspectionPatience);
      if (!answer) co_return error_of(answer);
      description = *std::move(answer);
    }
    const Result<Fetched> fetched = co_await get(toolchain, arrival, *description);
    if (loop_.is_stopping) co_return lost();
    if (!fetched) {
      missing_[toolchain.path] = fetched.error();
      if (said_.insert(toolchain.path).second) say_(fetched.error().text());
      continue;
    }
    const Status brought = co_await bring(device, toolchain, *fetched, keep_free_bytes, on_bytes_left);
    if (!brought) co_return error_of(brought);
  }
  co_return Done{};
}

asio::awaitable<Result<Fetched>> ToolchainDelivery::get(const ToolchainTree& toolchain, const samples::Arrival& arrival,
                                                        const samples::Description& description) {
  const Result<ToolchainSource> source = toolchain.find(arrival, description);
  if (!source) co_return error_of(source);
  if (source->command.empty()) co_return Fetched{source->folder, {}, {}};
  if (said_.insert("get " + toolchain.path).second) say_("searching for the wheels of " + toolchain.path);
  Result<Fetched> fetched = co_await parts_.fetching.fetch(loop_, source->command);
  co_return fetched;
}

OnProgress ToolchainDelivery::say_once() {
  return [this](const std::string& doing) {
    if (said_.insert(doing).second) say_(doing);
  };
}

asio::awaitable<Status> ToolchainDelivery::bring(Connection& device, const ToolchainTree& toolchain,
                                                 const Fetched& fetched, std::uint64_t keep_free_bytes,
                                                 const OnBytesLeft& on_bytes_left) {
  if (!fetched.folder.empty()) {
    const Result<const LocalTree*> tree = parts_.tree_of_toolchain(fetched.folder, toolchain.path);
    if (!tree) co_return error_of(tree);
    Status delivered = co_await dispatch::deliver(device, **tree, keep_free_bytes, on_bytes_left, say_once());
    co_return delivered;
  }
  say_("the device's own pip installs " + toolchain.path);
  device.queue(samples::InstallThere{toolchain.path, fetched.requirements, fetched.manifest, kInstallPatience.count()});
  co_await device.flush();
  const Result<samples::Installed> installed =
      co_await answer_of<samples::Installed>(device, kInstallPatience + kMargin, say_once());
  if (!installed) co_return error_of(installed);
  co_return Done{};
}

asio::awaitable<Result<samples::Inspection>> inspect(Connection& device, const std::vector<std::string>& paths) {
  device.queue(samples::Inspect{paths});
  co_await device.flush();
  Result<samples::Inspection> inspection = co_await answer_of<samples::Inspection>(device, kInspectionPatience);
  co_return inspection;
}

asio::awaitable<Result<Manifests>> record_toolchains(Connection& device, const std::string& machine, const Share& share,
                                                     Recording& recording) {
  Manifests manifests;
  std::vector<std::string> paths;
  for (const ToolchainTree& toolchain : share.toolchains) paths.push_back(toolchain.path);
  if (paths.empty()) co_return manifests;
  const Result<samples::Inspection> found = co_await inspect(device, paths);
  if (!found) co_return error_of(found);
  const Status ready = co_await recording.ready();
  if (!ready) co_return error_of(ready);
  for (const samples::FoundFolder& folder : found->folders) {
    const bool is_asked_for = std::find(paths.begin(), paths.end(), folder.path) != paths.end();
    if (!is_asked_for || folder.site.empty()) continue;
    Result<std::string> recorded = recording.record_toolchain(share.device.name, machine, folder);
    if (!recorded) co_return error_of(recorded);
    manifests[folder.path] = *std::move(recorded);
  }
  const Status durable = co_await recording.commit();
  if (!durable) co_return error_of(durable);
  co_return manifests;
}

}  // namespace ngb::dispatch
