// SPDX-License-Identifier: Apache-2.0
#include "samples/message.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "samples/codec.h"
#include "samples/frame.h"
#include "work/job_parts.h"

namespace ngb::samples {
namespace {

using nlohmann::json;

template <class Message>
Result<Message> decode(const char* what, std::string_view text, const work::JsonBounds& bounds) {
  return work::fields::parse_text(what, text, bounds,
                                  [&](const json& object) { return work::read_json<Message>(object, what); });
}

}  // namespace

std::string encode(const ClientMessage& message) { return json_text::dump(work::write_json(message)); }
std::string encode(const AgentMessage& message) { return json_text::dump(work::write_json(message)); }
std::string encode(const Event& event) { return encode(AgentMessage(event)); }
std::string encode(const std::vector<Event>& events) {
  return events.size() == 1 ? encode(events.front()) : encode(AgentMessage(Events{events}));
}

Result<ClientMessage> decode_client_message(std::string_view text) {
  return decode<ClientMessage>("client message", text, kFromClient);
}
Result<AgentMessage> decode_agent_message(std::string_view text) {
  return decode<AgentMessage>("agent message", text, kFromDevice);
}
Result<std::vector<Event>> decode_record(std::string_view text) {
  constexpr const char* kWhat = "journal record";
  return work::fields::parse_text(kWhat, text, kFromDevice, [](const json& object) {
    if (object.is_object() && object.contains("events")) return work::read_json<Events>(object, kWhat).events;
    return std::vector{work::read_json<Event>(object, kWhat)};
  });
}

std::uint32_t largest_record_bytes(const work::Protocol& protocol, int instances, std::size_t processes) {
  constexpr std::uint64_t kOthersBytes = 4U << 20U;  // everything else in an event
  constexpr std::uint64_t kLatencyBytes = 16;
  constexpr std::uint64_t kLatenciesBytes = kLatencyBytes * 200'000;  // the most that worker/repetitions.cpp keeps
  constexpr std::uint64_t kRepetitionBytes = 53;       // "[123456789012,4294967295,false,123456789012345,1023],"
  constexpr std::uint64_t kMostOfTransient = 100'000;  // worker/repetitions.cpp
  constexpr std::uint64_t kProfileBytes = 48U << 20U;  // 100,000 kernels and nodes, with long names
  const auto steady = static_cast<std::uint64_t>(work::most_repetitions(protocol));
  const auto warm_up = static_cast<std::uint64_t>(std::max(protocol.warm_up.value_or(0), 0));
  const std::uint64_t of_each = kLatenciesBytes + kRepetitionBytes * (2 * steady + warm_up + kMostOfTransient);
  // Each request may be an inference of its own, with a latency.
  const auto requests = static_cast<std::uint64_t>(protocol.arrivals ? protocol.arrivals->requests : 0);
  const std::uint64_t of_requests = requests * (kRepetitionBytes + kLatencyBytes);
  const std::uint64_t of_process = kOthersBytes + (protocol.profile ? kProfileBytes : 0) + of_requests +
                                   of_each * static_cast<std::uint64_t>(instances);
  // A job that only makes reference outputs has no round.
  const std::uint64_t in_a_record = protocol.turns > 1 ? std::max<std::size_t>(processes, 1) : 1;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(of_process * in_a_record, kMaxFrameBytes));
}

std::vector<Completed> completed_parts(std::vector<Completed> all) {
  constexpr std::size_t kItemBytes = 16;    // JSON text of a number, with what surrounds it
  constexpr std::size_t kNumberBytes = 20;  // likewise, of one that decides
  std::vector<Completed> parts;
  for (Completed& alike : all) {
    for (std::size_t bytes = work::kPartBytes; !alike.processes.empty();) {
      if (bytes >= work::kPartBytes) {
        parts.push_back({alike.made_with, alike.environment_hash, {}, {}});
        bytes = 0;
      }
      auto cell = alike.processes.extract(alike.processes.begin());
      bytes += cell.key().size() + kItemBytes * (1 + cell.mapped().size());
      if (auto numbers = alike.numbers.extract(cell.key())) {
        for (const std::vector<double>& of_process : numbers.mapped()) bytes += kNumberBytes * (1 + of_process.size());
        parts.back().numbers.insert(parts.back().numbers.end(), std::move(numbers));
      }
      parts.back().processes.insert(parts.back().processes.end(), std::move(cell));
    }
  }
  return parts;
}

}  // namespace ngb::samples
