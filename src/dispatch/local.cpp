// SPDX-License-Identifier: Apache-2.0
#include "dispatch/local.h"

#include <fmt/format.h>

#include <system_error>

#include "dispatch/connection.h"
#include "dispatch/follow.h"

namespace ngb::dispatch {
namespace {

// It ends its worker first.
constexpr Nanoseconds kLocalEndPatience = std::chrono::seconds(15);
constexpr int kMaxDeathsWithoutProgress = 3;

std::vector<std::string> command_of(const Installation& installation, const std::filesystem::path& work_folder) {
  return {installation.agent.string(),
          "serve",
          "--work",
          work_folder.string(),
          "--worker",
          (installation.agent.parent_path() / "ngb-worker").string(),
          "--lib",
          installation.lib.string()};
}

}  // namespace

asio::awaitable<Result<Ending>> run_local(Loop& loop, Recording& recording, const Installation& installation,
                                          const Share& share) {
  if (share.only_fetch) co_return Ending::left;  // its agent lives with its client
  Follower follower(loop, recording, share);
  const std::filesystem::path log = share.work_folder / "agent.log";
  for (int deaths = 1;; ++deaths) {
    const std::uint64_t known_before = follower.last_sequence();
    std::error_code code;
    const std::uint64_t log_begin = std::filesystem::file_size(log, code);
    const auto agent = Connection::start(loop, command_of(installation, share.work_folder), log);
    if (!agent) co_return tl::unexpected(agent.error());
    const Result<std::optional<Ending>> ending = co_await follower.follow(**agent, share.job, Nanoseconds::max());
    const std::string how = co_await (*agent)->end(kLocalEndPatience);
    if (!ending) co_return tl::unexpected(ending.error());
    if (ending->has_value()) co_return **ending;
    if (loop.is_stopping) co_return Ending::stopped;
    if (follower.last_sequence() > known_before) deaths = 0;
    if (deaths <= kMaxDeathsWithoutProgress) continue;
    const std::string words = last_words(log, code ? 0 : log_begin);
    co_return fail(fmt::format("the agent died {} times without having done anything ({}){}", deaths, how,
                               words.empty() ? "" : ": " + words),
                   share.device.name, "see " + log.string());
  }
}

}  // namespace ngb::dispatch
