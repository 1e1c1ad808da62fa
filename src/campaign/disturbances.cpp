// SPDX-License-Identifier: Apache-2.0
#include "campaign/disturbances.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace ngb::campaign {

void Disturbances::add(const samples::ProcessResult& result) {
  ++attempts_;
  for (const samples::Neighbour& neighbour : result.neighbours) {
    Program& program = programs_[neighbour.name];
    program.cpu_ns += neighbour.cpu_ns;
    program.pids.insert(neighbour.pid);
  }
}

std::string Disturbances::text() const {
  if (attempts_ == 0) return {};
  std::string text = fmt::format("{} attempt{} disturbed", attempts_, attempts_ == 1 ? "" : "s");
  const auto most = std::max_element(programs_.begin(), programs_.end(),
                                     [](const auto& a, const auto& b) { return a.second.cpu_ns < b.second.cpu_ns; });
  if (most == programs_.end()) return text;
  const auto& pids = most->second.pids;
  const std::string which =
      pids.size() == 1 ? fmt::format("process {}", *pids.begin()) : fmt::format("{} processes", pids.size());
  return text + fmt::format(", mostly by {} ({})", most->first, which);
}

std::string expectation(const Pace& pace) {
  constexpr double kFirst_s = 20;
  if (pace.elapsed_s < kFirst_s || pace.disturbed <= pace.finished) return {};
  std::string text = "most attempts are disturbed: ";
  if (pace.finished == 0) {
    text += fmt::format("nothing was measured in {}", text::human_duration(pace.elapsed_s));
  } else {
    const double whole_s = pace.elapsed_s * (pace.finished + pace.left) / pace.finished;
    text += fmt::format("at this rate the run takes {}", text::human_duration(whole_s));
    if (pace.expected_s) text += fmt::format(" instead of {}", text::human_duration(*pace.expected_s));
  }
  text += ". Ctrl-C ends it and the same command goes on later; --budget 10m takes the best of that time";
  if (!pace.takes_turns) text += "; `turns: 20` in the study is disturbed less";
  return text;
}

}  // namespace ngb::campaign
