// SPDX-License-Identifier: Apache-2.0
// Records each event once, as a client does, however often its agent dies.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "agent_client.h"

namespace ngb::agent::test {

using Process = std::tuple<std::string, int, int>;  // cell, process, attempt

// Keeps each event once, by its number.
class Recorder {
 public:
  void take(const samples::Event& event) {
    const auto [place, is_new] = events_.emplace(event.sequence, samples::encode(event));
    EXPECT_EQ(place->second, samples::encode(event)) << "event " << event.sequence << " was another one before";
    if (!is_new) return;
    if (const auto* result = std::get_if<samples::ProcessResult>(&event.body)) {
      const Process process{result->cell_id, result->process_index, result->attempt};
      EXPECT_TRUE(results_.emplace(process, content_of(*result)).second) << result->cell_id << " was recorded twice";
    }
    is_finished_ = is_finished_ || std::holds_alternative<samples::Finished>(event.body);
  }
  [[nodiscard]] std::uint64_t last() const { return events_.empty() ? 0 : events_.rbegin()->first; }
  [[nodiscard]] bool is_finished() const { return is_finished_; }
  [[nodiscard]] const std::map<Process, std::string>& results() const { return results_; }
  [[nodiscard]] bool has_gaps() const { return last() != events_.size(); }

 private:
  // Returns everything but times, which differ between runs.
  static std::string content_of(const samples::ProcessResult& result) {
    std::string content = result.failure ? std::string(samples::name(result.failure->kind)) : "completed";
    for (const auto& repetition : result.repetitions) content += " " + std::to_string(repetition.wall_ns);
    return content;
  }
  std::map<std::uint64_t, std::string> events_{};
  std::map<Process, std::string> results_{};
  bool is_finished_ = false;
};

// Follows an agent for `time`, or until its job ends, then calls `end` with the client.
template <class End>
void run_for(const std::filesystem::path& folder, const work::Job& job, Recorder& recorder,
             std::chrono::milliseconds time, End end, const Programs& programs = {}) {
  AgentClient client(folder, programs);
  client.begin(job, recorder.last());
  const auto give_up = std::chrono::steady_clock::now() + time;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(give_up - std::chrono::steady_clock::now());
    const auto message = client.next(std::max(left, std::chrono::milliseconds(0)));
    if (!message) break;
    if (const auto* event = std::get_if<samples::Event>(&*message)) {
      recorder.take(*event);
      client.send(samples::Acknowledge{event->sequence});
    }
  }
  end(client);
}

}  // namespace ngb::agent::test
