// SPDX-License-Identifier: Apache-2.0
#include "dispatch/push.h"

#include <fmt/format.h>

#include "base/text.h"
#include "dispatch/delivery/parts.h"
#include "dispatch/delivery/toolchain_delivery.h"
#include "dispatch/link/answer.h"
#include "dispatch/look.h"
#include "dispatch/make_job.h"

namespace ngb::dispatch {
namespace {

constexpr Nanoseconds kPushPatience = std::chrono::seconds(30);

struct Pushing {
  Loop& loop;
  Parts& parts;
  const std::vector<ToolchainTree>& toolchains;
  const Remark& remark;
};

asio::awaitable<Status> bring(Connection& device, const samples::Arrival& arrival, const Pushing& pushing,
                              std::uint64_t keep_free_bytes, Pushed& pushed) {
  pushed.machine = text::to_utf8(arrival.machine);
  std::vector<std::string> paths;
  for (const ToolchainTree& toolchain : pushing.toolchains) paths.push_back(toolchain.path);
  const Result<std::vector<std::string>> lacking = co_await ask(device, paths);
  if (!lacking) co_return error_of(lacking);
  const Say say = [&](const std::string& words) { pushing.remark(pushed.device, words); };
  bool is_said = false;
  const OnBytesLeft say_once = [&](std::uint64_t left_bytes) {
    if (!std::exchange(is_said, true)) say(text::human_bytes(left_bytes) + " to deliver");
  };
  ToolchainDelivery delivery(pushing.loop, pushing.parts, pushing.toolchains, say);
  const Status delivered = co_await delivery.deliver(device, arrival, *lacking, keep_free_bytes, say_once);
  pushed.missing = delivery.missing();
  if (!delivered) co_return error_of(delivered);
  Result<samples::Inspection> inspection = co_await inspect(device, paths);
  if (!inspection) co_return error_of(inspection);
  pushed.toolchains = *std::move(inspection);
  co_return Done{};
}

asio::awaitable<void> push_to(const Pushing& pushing, const config::DeviceEntry& device,
                              const std::filesystem::path& log_folder, Pushed& pushed) {
  const LookTask task = [&](Connection& connection, const samples::Arrival& arrival) {
    return bring(connection, arrival, pushing, limits_of(device).free_disk_bytes.value_or(0), pushed);
  };
  pushed.done = co_await look(pushing.loop, pushing.parts, device, log_folder, task);
}

asio::awaitable<Status> inspect_and_adopt(Connection& device, const std::string& path, const MakeAdoption& make) {
  const std::vector<std::string> paths{path};
  const Result<samples::Inspection> found = co_await inspect(device, paths);
  if (!found) co_return error_of(found);
  if (found->folders.size() != 1) co_return fail("the device did not describe this folder", path);
  const Result<samples::Adopt> adoption = make(found->folders.front());
  if (!adoption) co_return error_of(adoption);
  device.queue(*adoption);
  co_await device.flush();
  const Result<samples::Installed> installed = co_await answer_of<samples::Installed>(device, kPushPatience);
  if (!installed) co_return error_of(installed);
  co_return Done{};
}

asio::awaitable<void> adopt_on(Loop& loop, const Parts& parts, const config::DeviceEntry& device,
                               const std::filesystem::path& log_folder, const LookTask& task, Status& done) {
  done = co_await look(loop, parts, device, log_folder, task);
}

}  // namespace

Result<std::vector<Pushed>> push(const Installation& installation, const std::vector<config::DeviceEntry>& devices,
                                 const std::vector<ToolchainTree>& toolchains, const std::filesystem::path& log_folder,
                                 const Remark& remark) {
  Loop loop;  // outlives `parts`, whose alarms refer to it
  Result<Parts> parts = find_parts(installation);
  if (!parts) return error_of(parts);
  std::vector<Pushed> all(devices.size());
  const Pushing pushing{loop, *parts, toolchains, remark};
  for (std::size_t i = 0; i < devices.size(); ++i) {
    all[i].device = devices[i].name;
    asio::co_spawn(loop.io, push_to(pushing, devices[i], log_folder, all[i]), asio::detached);
  }
  loop.io.run();
  return all;
}

Status adopt_there(const Installation& installation, const config::DeviceEntry& device, const std::string& path,
                   const MakeAdoption& make, const std::filesystem::path& log_folder) {
  const Result<Parts> parts = find_parts(installation);
  if (!parts) return error_of(parts);
  Loop loop;
  Status done;
  const LookTask task = [&](Connection& connection, const samples::Arrival& /*arrival*/) {
    return inspect_and_adopt(connection, path, make);
  };
  asio::co_spawn(loop.io, adopt_on(loop, *parts, device, log_folder, task, done), asio::detached);
  loop.io.run();
  return done;
}

}  // namespace ngb::dispatch
