// SPDX-License-Identifier: Apache-2.0
// Counts the attempts of a run that other work disturbed, so that one line can tell of them all.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "samples/process_result.h"

namespace ngb::campaign {

class Disturbances {
 public:
  // Adds an attempt that failed as `disturbed`.
  void add(const samples::ProcessResult& result);

  [[nodiscard]] int attempts() const { return attempts_; }

  // Returns "14 attempts disturbed, mostly by compile (process 2822)", or "… by cc1plus (31 processes)"; "" if there
  // are none. The program is the one that used most processor time.
  [[nodiscard]] std::string text() const;

 private:
  struct Program {
    std::int64_t cpu_ns = 0;
    std::set<std::int64_t> pids{};
  };
  int attempts_ = 0;
  std::map<std::string, Program> programs_{};  // by name
};

// What a run knows of its pace.
struct Pace {
  double elapsed_s = 0;
  int finished = 0;                    // processes that were measured in this time
  int left = 0;                        // that are still to be measured
  int disturbed = 0;                   // attempts in this time
  std::optional<double> expected_s{};  // what the whole run was estimated to take; nothing: unknown
  bool takes_turns = false;
};

// Returns what to expect and what to do if more attempts are disturbed than measured; "" else, and in the first 20 s.
std::string expectation(const Pace& pace);

}  // namespace ngb::campaign
