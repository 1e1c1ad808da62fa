// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <system_error>

#include "dispatch/answer.h"
#include "dispatch/bootstrap.h"
#include "dispatch/fleet.h"
#include "dispatch/parts.h"
#include "dispatch/route.h"

namespace ngb::dispatch {
namespace {

constexpr Nanoseconds kEndPatience = std::chrono::seconds(3);
constexpr Nanoseconds kPatience = std::chrono::seconds(30);

asio::awaitable<Result<samples::Arrival>> question(Connection& device, const std::string& script, const Parts& parts,
                                                   Examination& examination) {
  const Result<std::optional<samples::Arrival>> arrival = co_await bootstrap(device, script, parts.agents);
  const Nanoseconds ours = system_clock().unix_now();
  if (!arrival) co_return tl::unexpected(arrival.error());
  if (!arrival->has_value()) co_return fail("cannot be reached", examination.device);
  examination.clock_offset = Nanoseconds((*arrival)->unix_time_ns) - ours;
  device.queue(samples::Describe{});
  co_await device.flush();
  const Result<std::optional<samples::Description>> description =
      co_await answer_of<samples::Description>(device, kPatience);
  if (!description) co_return tl::unexpected(description.error());
  if (!description->has_value()) co_return fail("the connection ended", examination.device);
  examination.description = **description;
  co_return **arrival;
}

asio::awaitable<void> examine_one(Loop& loop, const Parts& parts, const config::DeviceEntry& device,
                                  const std::filesystem::path& log_folder, Examination& examination) {
  const std::string script = bootstrap_script(parts.agents, device);
  const std::filesystem::path log = log_folder / (device.name + ".log");
  std::error_code code;
  const std::uint64_t log_begin = std::filesystem::file_size(log, code);
  const Share share{.device = device};
  const std::unique_ptr<Route> route = route_to(loop, parts, share, [](const std::string&) {});
  const auto connection = Connection::start(loop, route->command_for_a_look(script.size()), log);
  if (!connection) {
    examination.arrival = tl::unexpected(connection.error());
    co_return;
  }
  examination.arrival = co_await question(**connection, script, parts, examination);
  co_await (*connection)->end(kEndPatience);
  const std::string words = last_words(log, code ? 0 : log_begin);
  if (!examination.arrival && !words.empty()) {
    examination.arrival = fail(examination.arrival.error().what + ": " + words, device.name, "run: ssh HOST true");
  }
}

}  // namespace

Result<std::vector<Examination>> examine(const Installation& installation,
                                         const std::vector<config::DeviceEntry>& devices,
                                         const std::filesystem::path& log_folder) {
  const Result<Parts> parts = find_parts(installation);
  if (!parts) return tl::unexpected(parts.error());
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
