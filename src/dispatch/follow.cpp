// SPDX-License-Identifier: Apache-2.0
#include "dispatch/follow.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "base/text.h"
#include "samples/frame.h"
#include "work/job_parts.h"

namespace ngb::dispatch {
namespace {

constexpr Nanoseconds kMessagePatience = std::chrono::seconds(5);
// A stopped agent ends its worker and sends the events that it has recorded.
constexpr Nanoseconds kDrainPatience = std::chrono::seconds(15);
constexpr Nanoseconds kDrainPause = std::chrono::milliseconds(50);

}  // namespace

asio::awaitable<Result<Ending>> Follower::follow(Connection& agent, const MakeJob& job, Nanoseconds silence) {
  bool has_greeted = false;
  last_heard_ = loop_.clock.now();
  for (;;) {
    if (loop_.is_stopping) {
      agent.queue(samples::Stop{});
      co_await agent.flush();
      const Status drained = co_await drain(agent);
      if (!drained) co_return error_of(drained);
      co_return Ending::stopped;
    }
    const Result<std::optional<Received>> heard = co_await hear(agent, silence);
    if (has_code(heard, ErrorCode::lost) && loop_.is_stopping) continue;  // the device keeps its events
    if (!heard) co_return error_of(heard);
    if (!heard->has_value() || (*heard)->is_busy) continue;
    const Received& received = **heard;
    // A device sends its progress only when it has no events to send.
    if (share_.only_fetch && has_greeted && received.has_progress) co_return Ending::left;
    // The job is sent only after the agent's first message, because a relay on the way may be reading before that.
    if (!has_greeted) {
      const Status greeted = co_await greet(agent, job);
      if (!greeted) co_return error_of(greeted);
      has_greeted = true;
    }
    if (received.has_gap) {
      recording_.say(share_.device.name, fmt::format("the events after {} are requested again", last_sequence_));
      co_return lost();
    }
    if (!received.is_finished) continue;
    co_await farewell(agent);
    co_return Ending::finished;
  }
}

asio::awaitable<Status> Follower::fetch(Connection& agent, Nanoseconds silence) {
  bool has_greeted = false;
  last_heard_ = loop_.clock.now();
  while (!loop_.is_stopping) {
    const Result<std::optional<Received>> heard = co_await hear(agent, silence);
    if (!heard) co_return error_of(heard);
    if (!heard->has_value()) continue;
    if ((*heard)->is_fetched) co_return Done{};
    if ((*heard)->has_gap) co_return lost();
    if (has_greeted) continue;
    agent.allow_frames(samples::kMaxFrameBytes);
    agent.queue(samples::Hello{});
    agent.queue(samples::Fetch{share_.run_id, last_sequence_, share_.ends_there});
    co_await agent.flush();
    has_greeted = true;
  }
  co_return lost();
}

asio::awaitable<Result<std::optional<Follower::Received>>> Follower::hear(Connection& agent, Nanoseconds silence) {
  const Result<std::optional<samples::AgentMessage>> message = co_await agent.receive(kMessagePatience);
  if (!message) co_return error_of(message);
  if (!message->has_value()) {
    if (agent.is_gone() || loop_.clock.now() - last_heard_ > silence) co_return lost();
    co_return std::nullopt;
  }
  last_heard_ = loop_.clock.now();
  const Result<Received> received = co_await handle_all(agent, **message);
  if (!received) co_return error_of(received);
  last_heard_ = loop_.clock.now();  // recording may have had to wait
  co_return *received;
}

asio::awaitable<Status> Follower::greet(Connection& agent, const MakeJob& make_job) {
  Result<std::vector<samples::Completed>> completed = share_.completed();
  if (!completed) co_return error_of(completed);
  Result<work::Job> job = make_job();
  if (!job) co_return error_of(job);
  int most_instances = 1;
  for (const work::Compiler& compiler : job->compilers) most_instances = std::max(most_instances, compiler.instances);
  agent.allow_frames(samples::largest_record_bytes(job->protocol, most_instances, job->compilers.size()));
  agent.queue(samples::Hello{});
  work::JobParts parts(std::exchange(*job, {}), samples::kMaxFrameBytes);
  while (!loop_.is_stopping && !agent.is_gone()) {
    Result<std::optional<std::variant<work::Job, work::JobPart>>> part = parts.next();
    if (!part) co_return error_of(part);
    if (!part->has_value()) break;
    std::visit([&agent](auto& message) { agent.queue(std::move(message)); }, **part);
    co_await agent.flush();
  }
  const std::vector<samples::Completed> recorded = samples::completed_parts(*std::move(completed));
  for (const samples::Completed& part : recorded) {
    agent.queue(part);
    co_await agent.flush();
  }
  if (loop_.is_stopping) co_return Done{};
  agent.queue(samples::Follow{last_sequence_});
  co_await agent.flush();
  co_return Done{};
}

// Handles this message and those that have arrived with it. Their events become durable and are then acknowledged.
// Returns an error with the code `lost` if the loop stops before that.
asio::awaitable<Result<Follower::Received>> Follower::handle_all(Connection& agent,
                                                                 const samples::AgentMessage& first) {
  Received received;
  Status status;
  bool is_ready = false;
  Result<std::optional<samples::AgentMessage>> later;  // behind the first one
  for (const samples::AgentMessage* message = &first; message != nullptr && status;) {
    const bool is_recorded =
        std::holds_alternative<samples::Event>(*message) || std::holds_alternative<samples::Events>(*message);
    if (!is_ready && is_recorded) {
      const Status ready = co_await recording_.ready();
      if (!ready) co_return error_of(ready);
      is_ready = true;
    }
    status = handle(*message, received);
    if (!status) break;
    later = agent.take();
    if (!later) status = tl::unexpected(later.error());
    message = later && later->has_value() ? &**later : nullptr;
  }
  // Events that arrived before an error are recorded.
  if (received.has_events) {
    const Status durable = co_await recording_.commit();
    if (!durable) co_return error_of(durable);
    agent.queue(samples::Acknowledge{last_sequence_});
    co_await agent.flush();
  }
  if (!status) co_return error_of(status);
  co_return received;
}

Status Follower::handle(const samples::AgentMessage& message, Received& received) {
  if (const auto* error = std::get_if<Error>(&message)) return tl::unexpected(*error);
  if (const auto* busy = std::get_if<samples::Busy>(&message)) {
    received.is_busy = true;
    return wait_for_turn(*busy);
  }
  if (const auto* progress = std::get_if<samples::Progress>(&message)) {
    received.has_progress = true;
    recording_.show(share_.device.name, *progress);
  }
  if (const auto* remark = std::get_if<samples::Remark>(&message)) {
    recording_.say(share_.device.name, remark->text);
  }
  received.is_fetched = received.is_fetched || std::holds_alternative<samples::Fetched>(message);
  if (std::holds_alternative<samples::Hello>(message)) received.is_busy = false;  // its turn has come
  if (const auto* hello = std::get_if<samples::Hello>(&message);
      hello != nullptr && hello->protocol != samples::kProtocolVersion) {
    return fail(
        fmt::format("the agent {} speaks protocol {}, this client {}", hello->version, hello->protocol,
                    samples::kProtocolVersion),
        share_.device.name,
        "resume with the version of NGraphBench that began this run (results.version-N.db is its results file, kept "
        "from before this version changed it), or end the run there with ngb cancel: what the device has "
        "measured and not sent is then lost");
  }
  if (const auto* event = std::get_if<samples::Event>(&message)) return handle_event(*event, received);
  if (const auto* record = std::get_if<samples::Events>(&message)) {
    // Nothing is committed in between.
    for (const samples::Event& event : record->events) {
      if (Status handled = handle_event(event, received); !handled) return handled;
    }
  }
  return Done{};
}

Status Follower::handle_event(const samples::Event& event, Received& received) {
  received.has_gap = received.has_gap || event.sequence > last_sequence_ + 1;
  if (received.has_gap) return Done{};
  received.has_events = true;
  received.is_finished = received.is_finished || std::holds_alternative<samples::Finished>(event.body);
  if (event.sequence <= last_sequence_) return Done{};
  if (Status recorded = recording_.record(share_.device.name, event); !recorded) return recorded;
  last_sequence_ = event.sequence;
  if (std::holds_alternative<samples::ProcessResult>(event.body) ||
      std::holds_alternative<samples::ReferenceMade>(event.body)) {
    ++results_;
  }
  return Done{};
}

Status Follower::wait_for_turn(const samples::Busy& busy) {
  const bool is_ours = !share_.run_id.empty() && busy.task.find(share_.run_id) != std::string::npos;
  const std::string with =
      fmt::format("{} ({})", is_ours ? "another device of this study" : "run " + busy.task, busy.holder);
  if (share_.only_fetch) {
    return fail("is busy with " + with, share_.device.name, "run the same command again when that has ended");
  }
  const Nanoseconds now = loop_.clock.now();
  if (with != busy_with_) {
    busy_with_ = with;
    waits_since_ = now;
    recording_.say(share_.device.name, "is busy with " + with + "; waits for it");
  }
  // While any device of this study reports something, the run for which this device waits may still be at work.
  const Nanoseconds since = is_ours ? std::max(waits_since_, recording_.last_heard()) : waits_since_;
  if (now - since <= share_.lost_after) return Done{};
  return fail(fmt::format("has been busy with {} for {}", with,
                          text::human_duration(std::chrono::duration<double>(now - waits_since_).count())),
              share_.device.name,
              "run the same command again when that run has ended, or end it: ngb cancel with its results folder");
}

// Waits until the agent has received the last acknowledgement, after which it ends by itself.
asio::awaitable<void> Follower::farewell(Connection& agent) {
  const Nanoseconds give_up = loop_.clock.now() + kMessagePatience;
  while (!agent.is_gone() && loop_.clock.now() < give_up) {
    const auto message = co_await agent.receive(kMessagePatience);
    if (!message) co_return;
    if (loop_.is_stopping) co_return;
  }
}

// Records the events that the agent recorded before it received the stop.
asio::awaitable<Status> Follower::drain(Connection& agent) {
  const Nanoseconds give_up = loop_.clock.now() + loop_.left_of(kDrainPatience, kWordsAfterStop);
  Alarm pause(loop_);
  while (loop_.clock.now() < give_up) {
    const bool was_gone = agent.is_gone();
    Result<std::optional<samples::AgentMessage>> message = agent.take();
    if (!message) co_return error_of(message);
    if (message->has_value()) {
      const Result<Received> received = co_await handle_all(agent, **message);
      if (has_code(received, ErrorCode::lost)) break;
      if (!received) co_return error_of(received);
    } else if (was_gone) {
      break;
    } else {
      co_await pause.wait_regardless(kDrainPause);
    }
  }
  co_return Done{};
}

}  // namespace ngb::dispatch
