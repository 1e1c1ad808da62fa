// SPDX-License-Identifier: Apache-2.0
#include "dispatch/look.h"

#include <memory>
#include <system_error>

#include "dispatch/bootstrap.h"
#include "dispatch/route.h"

namespace ngb::dispatch {
namespace {

constexpr Nanoseconds kLookEndPatience = std::chrono::seconds(3);

}  // namespace

asio::awaitable<Status> look(Loop& loop, const Parts& parts, const config::DeviceEntry& device,
                             const std::filesystem::path& log_folder, const LookTask& task) {
  const std::string script = bootstrap_script(parts.agents, device);
  const std::filesystem::path log = log_folder / (device.name + ".log");
  std::error_code code;
  const std::uint64_t size = std::filesystem::file_size(log, code);
  const std::uint64_t log_begin = code ? 0 : size;
  const Share share{.device = device};
  const Say nobody_is_told = [](const std::string&) {};
  const std::unique_ptr<Route> route = route_to(loop, parts, share, nobody_is_told);
  const Command command = route->command_for_a_look(script.size());
  const auto connection = Connection::start(loop, command, log);
  if (!connection) co_return tl::unexpected(connection.error());
  const Result<std::optional<samples::Arrival>> arrival = co_await bootstrap(**connection, script, parts.agents);
  const bool is_reached = arrival && arrival->has_value();
  Status done;
  if (is_reached) {
    done = co_await task(**connection, **arrival);
  } else {
    done = arrival ? fail("cannot be reached", device.name) : Status(tl::unexpected(arrival.error()));
  }
  co_await (*connection)->end(kLookEndPatience);
  const std::string words = last_words(log, log_begin);
  if (!is_reached && !words.empty()) {
    co_return fail(done.error().what + ": " + words, device.name, "run: ssh HOST true");
  }
  if (!done) co_return tl::unexpected(done.error());
  co_return Done{};
}

}  // namespace ngb::dispatch
