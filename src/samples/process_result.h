// SPDX-License-Identifier: Apache-2.0
// What one worker process yields: the unit that is checkpointed, sent and recorded, whole or not at all.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "samples/failure.h"
#include "samples/known.h"

namespace ngb::samples {

struct PhaseUse {
  Phase phase = Phase::start;
  std::int64_t wall_ns = 0;
  Known<std::int64_t> cpu_ns{};           // user + system over the worker's process tree
  Known<std::uint64_t> peak_rss_bytes{};  // highest resident memory of the worker within the phase
};

struct Repetition {
  std::int64_t wall_ns = 0;      // around `inferences` inferences
  std::uint32_t inferences = 1;  // k
  bool is_warm_up = false;
};

struct Check {
  std::string reference{};  // who made the reference outputs: "identity 2.15.0"; "none" when the study asks for none
  std::uint64_t compared_elements = 0;
  Known<double> max_absolute_error{};
  Known<double> max_relative_error{};  // over elements whose reference is not 0
};

// One thing that the device told, before ("start") or after ("end") the timed phase.
struct Reading {
  std::string quantity{};  // "steal", "pressure_cpu_some", "frequency", "temperature", "power", "load_1min", …
  std::string unit{};      // "percent", "hz", "celsius", "watt", "1", …
  std::string when{};      // "start" | "end" | "timed" (a difference over the timed phase)
  Known<double> value{};
};

struct ProcessResult {
  std::string cell_id{};
  int process_index = 0;  // 0 … processes-1
  int attempt = 1;        // 1 …; a retried process keeps its index
  std::string environment_hash{};
  std::int64_t started_unix_ns = 0;
  std::int64_t wall_ns = 0;               // agent's clock: before the start of the worker until it was reaped
  std::vector<PhaseUse> phases{};         // those that were reached, in order
  std::vector<Repetition> repetitions{};  // in the order run, warm-up first; empty when it failed earlier
  std::string stop_reason{};              // "repetitions" | "half_width" | "max_repetitions" | "max_time"
  bool is_steady = true;                  // false: no steady part was found within the bound
  std::optional<Check> check{};
  std::optional<Failure> failure{};            // nothing: the process completed
  Known<int> threads_used{};                   // threads that used CPU time in the timed phase
  std::map<std::string, std::string> facts{};  // what the compiler says of itself (`inspect`)
  std::vector<Reading> readings{};
  std::string log_path{};  // the compiler's own output, relative to the agent's work folder
};

// Errors name the key that is missing or of the wrong type.
nlohmann::json to_json(const ProcessResult& result);
Result<ProcessResult> process_result_from_json(const nlohmann::json& json);

}  // namespace ngb::samples
