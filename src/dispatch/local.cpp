// SPDX-License-Identifier: Apache-2.0
#include "dispatch/local.h"

#include <fmt/format.h>

#include "dispatch/follow.h"
#include "dispatch/link/connection.h"

namespace ngb::dispatch {
namespace {

// The agent ends its worker before it ends itself.
constexpr Nanoseconds kLocalEndPatience = std::chrono::seconds(15);
// The agent may neither send nor read anything for this long while it does one thing: hash a model of a hundred
// gigabytes.
constexpr Nanoseconds kLocalSilence = std::chrono::minutes(10);

std::vector<std::string> command_of(const Installation& installation, const std::filesystem::path& work_folder) {
  std::vector<std::string> words{installation.agent.string(),
                                 "serve",
                                 "--work",
                                 work_folder.string(),
                                 "--worker",
                                 (installation.agent.parent_path() / "ngb-worker").string(),
                                 "--lib",
                                 installation.lib.string()};
  if (!installation.machine.empty()) words.insert(words.end(), {"--machine", installation.machine.string()});
  return words;
}

}  // namespace

asio::awaitable<Result<Ending>> run_local(Loop& loop, Recording& recording, const Installation& installation,
                                          const Share& share) {
  if (share.only_fetch) co_return Ending::left;  // a local agent runs only while its client does
  Follower follower(loop, recording, share);
  const std::filesystem::path log = share.work_folder / "agent.log";
  for (int deaths = 1;; ++deaths) {
    const std::uint64_t known_before = follower.last_sequence();
    const auto agent = Connection::start(loop, command_of(installation, share.work_folder), log, kLocalSilence);
    if (!agent) co_return error_of(agent);
    Result<Ending> ending = co_await follower.follow(**agent, share.job, kLocalSilence);
    const std::string how = co_await (*agent)->end(kLocalEndPatience);
    if (!has_code(ending, ErrorCode::lost)) co_return ending;
    if (loop.is_stopping) co_return Ending::stopped;
    if (follower.last_sequence() > known_before) deaths = 0;
    if (deaths <= kMaxDeathsWithoutProgress) continue;
    const std::string words = (*agent)->last_words();
    co_return fail(fmt::format("the agent died {} times without having done anything ({}){}", deaths, how,
                               words.empty() ? "" : ": " + words),
                   share.device.name, "see " + log.string());
  }
}

asio::awaitable<Result<Ending>> fetch_local(Loop& loop, Recording& recording, const Installation& installation,
                                            const Share& share) {
  Follower follower(loop, recording, share);
  const std::filesystem::path log = share.work_folder / "agent.log";
  const auto agent = Connection::start(loop, command_of(installation, share.work_folder), log, kLocalSilence);
  if (!agent) co_return error_of(agent);
  const Status fetched = co_await follower.fetch(**agent, kLocalEndPatience);
  const std::string how = co_await (*agent)->end(kLocalEndPatience);
  if (has_code(fetched, ErrorCode::lost)) {
    co_return fail("the agent did not send what its journal contains: " + how, share.device.name);
  }
  if (!fetched) co_return error_of(fetched);
  co_return Ending::left;
}

}  // namespace ngb::dispatch
