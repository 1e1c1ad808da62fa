// SPDX-License-Identifier: Apache-2.0
#include "dispatch/look.h"

#include <exception>
#include <memory>

#include "dispatch/delivery/bootstrap.h"
#include "dispatch/delivery/parts.h"
#include "dispatch/fleet.h"
#include "dispatch/link/answer.h"
#include "dispatch/route/route.h"

namespace ngb::dispatch {

namespace {

constexpr Nanoseconds kLookEndPatience = std::chrono::seconds(3);
constexpr Nanoseconds kLookPatience = std::chrono::seconds(60);  // until a cluster gives a machine

asio::awaitable<Status> look_there(Loop& loop, const Parts& parts, const config::DeviceEntry& device,
                                   const std::filesystem::path& log_folder, const LookTask& task) {
  const std::string script = bootstrap_script(parts.agents, device);
  const std::filesystem::path log = log_folder / (device.name + ".log");
  const Share share{.device = device, .lost_after = kLookPatience};
  const Say ignored = [](const std::string&) {};
  const std::unique_ptr<Route> route = kind_of(device).route(loop, parts, share, ignored);
  const Result<Command> command = co_await route->command_for_a_look(script.size());
  if (!command) co_return error_of(command);
  const auto connection = route->open(loop, *command, log);
  if (!connection) co_return error_of(connection);
  const Result<samples::Arrival> arrival = co_await bootstrap(**connection, script, parts.agents);
  Status done;
  if (arrival) {
    done = co_await task(**connection, *arrival);
    if (has_code(done, ErrorCode::lost)) done.error().where = device.name;
  } else if (has_code(arrival, ErrorCode::lost)) {
    done = fail("cannot be reached", device.name);
  } else {
    done = error_of(arrival);
  }
  co_await (*connection)->end(kLookEndPatience);
  const Status left = co_await route->end_look();
  const std::string words = (*connection)->last_words();
  if (!arrival && !words.empty()) {
    co_return fail(done.error().what + ": " + words, device.name, "run: " + route->how_to_try());
  }
  if (!done) co_return error_of(done);
  co_return left;
}

}  // namespace

// An exception for one device (it sends more than fits into memory) ends that device alone.
asio::awaitable<Status> look(Loop& loop, const Parts& parts, const config::DeviceEntry& device,
                             const std::filesystem::path& log_folder, const LookTask& task) {
  std::string thrown;
  try {
    Status done = co_await look_there(loop, parts, device, log_folder, task);
    co_return done;
  } catch (const std::exception& exception) {
    thrown = exception.what();
  }
  co_return fail("its messages cannot be processed: " + thrown, device.name);
}

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
