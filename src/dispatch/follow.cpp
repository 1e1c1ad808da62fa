// SPDX-License-Identifier: Apache-2.0
#include "dispatch/follow.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

namespace ngb::dispatch {
namespace {

constexpr Nanoseconds kMessagePatience = std::chrono::seconds(5);
// A stopped agent ends its worker, and tells what it has recorded before.
constexpr Nanoseconds kDrainPatience = std::chrono::seconds(15);
constexpr Nanoseconds kDrainPause = std::chrono::milliseconds(50);

}  // namespace

asio::awaitable<Result<std::optional<Ending>>> Follower::follow(Connection& agent, const MakeJob& job,
                                                                Nanoseconds silence) {
  bool has_greeted = false;
  Nanoseconds last_heard = system_clock().now();
  for (;;) {
    if (loop_.is_stopping) {
      agent.queue(samples::Stop{});
      co_await agent.flush();
      const Status drained = co_await drain(agent);
      if (!drained) co_return tl::unexpected(drained.error());
      co_return Ending::stopped;
    }
    Result<std::optional<samples::AgentMessage>> message = co_await agent.receive(kMessagePatience);
    if (!message) co_return tl::unexpected(message.error());
    if (!message->has_value()) {
      if (agent.is_gone() || system_clock().now() - last_heard > silence) co_return std::nullopt;
      continue;
    }
    last_heard = system_clock().now();
    const Result<Taken> taken = co_await take_all(agent, **message);
    if (!taken) co_return tl::unexpected(taken.error());
    // A device tells its progress when it has nothing else to tell.
    if (share_.only_fetch && has_greeted && taken->has_progress) co_return Ending::left;
    // Not before it has spoken: until then it may be a relay on the way to the agent that listens.
    if (!has_greeted) {
      const Status greeted = co_await greet(agent, job);
      if (!greeted) co_return tl::unexpected(greeted.error());
      has_greeted = true;
    }
    if (taken->has_gap) {
      recording_.say(share_.device.name, fmt::format("what came after event {} is asked for again", last_sequence_));
      co_return std::nullopt;
    }
    if (!taken->is_finished) continue;
    co_await farewell(agent);
    co_return Ending::finished;
  }
}

asio::awaitable<Status> Follower::greet(Connection& agent, const MakeJob& make_job) {
  Result<std::map<std::string, std::vector<int>>> completed = share_.completed();
  if (!completed) co_return tl::unexpected(completed.error());
  Result<samples::Job> job = make_job();
  if (!job) co_return tl::unexpected(job.error());
  agent.queue(samples::Hello{});
  agent.queue(std::exchange(*job, {}));
  agent.queue(samples::Follow{last_sequence_, *std::move(completed)});
  co_await agent.flush();
  co_return Done{};
}

// This message and those that are here with it; what they record becomes durable, and then is acknowledged.
asio::awaitable<Result<Follower::Taken>> Follower::take_all(Connection& agent, const samples::AgentMessage& first) {
  Taken taken;
  Status status = take(first, taken);
  while (status) {
    const Result<std::optional<samples::AgentMessage>> next = agent.take();
    if (!next) status = tl::unexpected(next.error());
    if (!next || !next->has_value()) break;
    status = take(**next, taken);
  }
  // What came before an Error counts.
  if (taken.has_events) {
    const Status durable = co_await recording_.commit();
    if (!durable) co_return tl::unexpected(durable.error());
    agent.queue(samples::Acknowledge{last_sequence_});
    co_await agent.flush();
  }
  if (!status) co_return tl::unexpected(status.error());
  co_return taken;
}

Status Follower::take(const samples::AgentMessage& message, Taken& taken) {
  if (const auto* error = std::get_if<Error>(&message)) return tl::unexpected(*error);
  if (const auto* progress = std::get_if<samples::Progress>(&message)) {
    taken.has_progress = true;
    recording_.show(share_.device.name, *progress);
  }
  if (const auto* hello = std::get_if<samples::Hello>(&message);
      hello != nullptr && hello->protocol != samples::kProtocolVersion) {
    return fail(fmt::format("the agent {} speaks protocol {}, this client {}", hello->version, hello->protocol,
                            samples::kProtocolVersion),
                share_.device.name, "install the same version of NGraphBench on both sides");
  }
  const auto* event = std::get_if<samples::Event>(&message);
  if (event == nullptr) return Done{};
  taken.has_gap = taken.has_gap || event->sequence > last_sequence_ + 1;
  if (taken.has_gap) return Done{};
  taken.has_events = true;
  taken.is_finished = taken.is_finished || std::holds_alternative<samples::Finished>(event->body);
  if (event->sequence <= last_sequence_) return Done{};
  if (Status recorded = recording_.record(share_.device.name, *event); !recorded) return recorded;
  last_sequence_ = event->sequence;
  return Done{};
}

// The last acknowledgement is to arrive; then the agent leaves by itself.
asio::awaitable<void> Follower::farewell(Connection& agent) {
  const Nanoseconds give_up = system_clock().now() + kMessagePatience;
  while (!agent.is_gone() && system_clock().now() < give_up) {
    const auto message = co_await agent.receive(kMessagePatience);
    if (!message) co_return;
    if (loop_.is_stopping) co_return;
  }
}

// What was recorded before the agent heard of the stop still counts.
asio::awaitable<Status> Follower::drain(Connection& agent) {
  const Nanoseconds give_up = system_clock().now() + kDrainPatience;
  Alarm pause(loop_);
  while (system_clock().now() < give_up) {
    const bool was_gone = agent.is_gone();
    Result<std::optional<samples::AgentMessage>> message = agent.take();
    if (!message) co_return tl::unexpected(message.error());
    if (message->has_value()) {
      const Result<Taken> taken = co_await take_all(agent, **message);
      if (!taken) co_return tl::unexpected(taken.error());
    } else if (was_gone) {
      break;
    } else {
      co_await pause.wait_regardless(kDrainPause);
    }
  }
  co_return Done{};
}

}  // namespace ngb::dispatch
