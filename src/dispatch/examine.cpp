// SPDX-License-Identifier: Apache-2.0
#include "dispatch/delivery/parts.h"
#include "dispatch/fleet.h"
#include "dispatch/link/answer.h"
#include "dispatch/look.h"

namespace ngb::dispatch {
namespace {

constexpr Nanoseconds kDescriptionPatience = std::chrono::seconds(30);

asio::awaitable<Status> question(Connection& device, const samples::Arrival& arrival, Examination& examination) {
  examination.clock_offset = Nanoseconds(arrival.unix_time_ns) - system_clock().unix_now();
  device.queue(samples::Describe{});
  co_await device.flush();
  const Result<samples::Description> description =
      co_await answer_of<samples::Description>(device, kDescriptionPatience);
  if (!description) co_return error_of(description);
  examination.description = *description;
  examination.arrival = arrival;
  co_return Done{};
}

asio::awaitable<void> examine_one(Loop& loop, const Parts& parts, const config::DeviceEntry& device,
                                  const std::filesystem::path& log_folder, Examination& examination) {
  const LookTask task = [&](Connection& connection, const samples::Arrival& arrival) {
    return question(connection, arrival, examination);
  };
  const Status done = co_await look(loop, parts, device, log_folder, task);
  if (!done) examination.arrival = tl::unexpected(done.error());
}

}  // namespace

Result<std::vector<Examination>> examine(const Installation& installation,
                                         const std::vector<config::DeviceEntry>& devices,
                                         const std::filesystem::path& log_folder) {
  const Result<Parts> parts = find_parts(installation);
  if (!parts) return error_of(parts);
  std::vector<Examination> examinations(devices.size());
  Loop loop;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    examinations[i].device = devices[i].name;
    asio::co_spawn(loop.io, examine_one(loop, *parts, devices[i], log_folder, examinations[i]), asio::detached);
  }
  loop.io.run();
  return examinations;
}

}  // namespace ngb::dispatch
