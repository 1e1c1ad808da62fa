// SPDX-License-Identifier: Apache-2.0
// The local device: an agent started as a child, started again when it dies.
#include <fmt/format.h>

#include <system_error>
#include <variant>

#include "dispatch/agent_process.h"
#include "dispatch/device.h"

namespace ngb::dispatch {
namespace {

constexpr Nanoseconds kStopPoll = std::chrono::milliseconds(200);
constexpr int kMaxDeathsWithoutProgress = 3;

// A job on this machine, through as many agents as it takes.
class LocalRun {
 public:
  LocalRun(const samples::Job& job, std::uint64_t last_sequence, const Callbacks& callbacks,
           const std::function<bool()>& stop_requested)
      : job_(job), last_sequence_(last_sequence), callbacks_(callbacks), stop_requested_(stop_requested) {}

  [[nodiscard]] std::uint64_t last_sequence() const { return last_sequence_; }

  // Until the job is over (an Ending), the agent is gone (nothing), or it cannot go on (Error).
  Result<std::optional<Ending>> follow(AgentProcess& agent) {
    agent.send(samples::Hello{});
    agent.send(job_);
    agent.send(samples::Follow{last_sequence_});
    for (;;) {
      if (stop_requested_()) {
        agent.send(samples::Stop{});
        return drain(agent);
      }
      Result<std::optional<samples::AgentMessage>> message = agent.exchange(kStopPoll);
      if (!message) return tl::unexpected(message.error());
      if (!message->has_value()) {
        if (agent.is_gone()) return std::nullopt;
        continue;
      }
      Result<bool> finished = take(agent, **message);
      if (!finished) return tl::unexpected(finished.error());
      if (*finished) return farewell(agent);
    }
  }

 private:
  // Whether the job is finished.
  Result<bool> take(AgentProcess& agent, const samples::AgentMessage& message) {
    if (const auto* error = std::get_if<Error>(&message)) return tl::unexpected(*error);
    if (const auto* progress = std::get_if<samples::Progress>(&message)) callbacks_.on_progress(*progress);
    if (const auto* hello = std::get_if<samples::Hello>(&message);
        hello && hello->protocol != samples::kProtocolVersion) {
      return fail(fmt::format("the agent {} speaks protocol {}, this client {}", hello->version, hello->protocol,
                              samples::kProtocolVersion),
                  job_.device, "install the same version of NGraphBench on both sides");
    }
    const auto* event = std::get_if<samples::Event>(&message);
    if (event == nullptr) return false;
    if (event->sequence > last_sequence_) {
      if (Status recorded = callbacks_.on_event(*event); !recorded) return tl::unexpected(recorded.error());
      last_sequence_ = event->sequence;
    }
    agent.send(samples::Acknowledge{last_sequence_});
    return std::holds_alternative<samples::Finished>(event->body);
  }

  // The last acknowledgement is to arrive; then the agent leaves by itself.
  static Result<std::optional<Ending>> farewell(AgentProcess& agent) {
    for (int i = 0; i < 25 && !agent.is_gone(); ++i) {
      if (!agent.exchange(kStopPoll)) break;
    }
    return Ending::finished;
  }

  // What was recorded before the agent heard of the stop still counts.
  Result<std::optional<Ending>> drain(AgentProcess& agent) {
    for (int i = 0; i < 75 && !agent.is_gone(); ++i) {
      Result<std::optional<samples::AgentMessage>> message = agent.exchange(kStopPoll);
      if (!message) return tl::unexpected(message.error());
      if (!message->has_value()) continue;
      if (const Result<bool> finished = take(agent, **message); !finished) return tl::unexpected(finished.error());
    }
    return Ending::stopped;
  }

  const samples::Job& job_;
  std::uint64_t last_sequence_;
  const Callbacks& callbacks_;
  const std::function<bool()>& stop_requested_;
};

}  // namespace

Result<Ending> run_local(const Installation& installation, const std::filesystem::path& work_folder,
                         const samples::Job& job, std::uint64_t last_sequence, const Callbacks& callbacks,
                         const std::function<bool()>& stop_requested) {
  LocalRun run(job, last_sequence, callbacks, stop_requested);
  for (int deaths = 1;; ++deaths) {
    const std::uint64_t known_before = run.last_sequence();
    std::error_code code;
    const std::uint64_t log_begin = std::filesystem::file_size(work_folder / "agent.log", code);
    Result<AgentProcess> agent = AgentProcess::start(installation, work_folder);
    if (!agent) return tl::unexpected(agent.error());
    const Result<std::optional<Ending>> ending = run.follow(*agent);
    if (!ending) return tl::unexpected(ending.error());
    if (ending->has_value()) return **ending;
    const std::string how = agent->end();
    if (run.last_sequence() > known_before) deaths = 0;
    if (deaths <= kMaxDeathsWithoutProgress) continue;
    const std::string words = last_words(work_folder, code ? 0 : log_begin);
    return fail(fmt::format("the agent died {} times without having done anything ({}){}", deaths, how,
                            words.empty() ? "" : ": " + words),
                job.device, "see agent.log in " + work_folder.string());
  }
}

}  // namespace ngb::dispatch
