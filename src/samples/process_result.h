// SPDX-License-Identifier: Apache-2.0
// What one worker process yields: the unit that is checkpointed, sent and recorded, whole or not at all.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/known.h"
#include "base/result.h"
#include "samples/failure.h"
#include "samples/provenance.h"

namespace ngb::samples {

struct PhaseUse {
  Phase phase = Phase::start;
  std::int64_t wall_ns = 0;
  Known<std::int64_t> cpu_ns{};           // user + system over the worker's process tree
  Known<std::uint64_t> peak_rss_bytes{};  // highest resident memory of the worker within the phase

  static constexpr auto fields() {
    return std::tuple(Field{"phase", &PhaseUse::phase}, Field{"wall_ns", &PhaseUse::wall_ns},
                      Field{"cpu_ns", &PhaseUse::cpu_ns}, Field{"peak_rss_bytes", &PhaseUse::peak_rss_bytes});
  }
};

struct Repetition {
  std::int64_t wall_ns = 0;      // around `inferences` inferences
  std::uint32_t inferences = 1;  // k
  bool is_warm_up = false;

  static constexpr bool kIsArray = true;  // there are many
  static constexpr auto fields() {
    return std::tuple(Field{"wall_ns", &Repetition::wall_ns}, Field{"inferences", &Repetition::inferences},
                      Field{"is_warm_up", &Repetition::is_warm_up});
  }
};

struct Check {
  std::string reference{};  // who made the reference outputs: "identity 2.15.0"; "none" when the study asks for none
  std::uint64_t compared_elements = 0;
  Known<double> max_absolute_error{};
  Known<double> max_relative_error{};              // over elements whose reference is not 0
  std::optional<std::uint64_t> finite_elements{};  // of those compared, numbers in both; nothing: it was not counted

  static constexpr auto fields() {
    return std::tuple(Field{"reference", &Check::reference}, Field{"compared_elements", &Check::compared_elements},
                      Field{"max_absolute_error", &Check::max_absolute_error},
                      Field{"max_relative_error", &Check::max_relative_error},
                      Field{"finite_elements", &Check::finite_elements});
  }
};

// One thing that the device told, before ("start") or after ("end") the timed phase.
struct Reading {
  std::string quantity{};  // "steal", "pressure_cpu_some", "frequency", "temperature", "power", "load_1min", …
  std::string unit{};      // "percent", "hz", "celsius", "watt", "1", …
  std::string when{};      // "start" | "end" | "timed" (a difference over the timed phase)
  Known<double> value{};

  static constexpr auto fields() {
    return std::tuple(Field{"quantity", &Reading::quantity}, Field{"unit", &Reading::unit},
                      Field{"when", &Reading::when}, Field{"value", &Reading::value});
  }
};

struct ProcessResult {
  std::string cell_id{};
  int process_index = 0;  // 0 … processes-1
  int attempt = 1;        // 1 …; a retried process keeps its index
  std::string environment_hash{};
  Provenance made_with{};
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

  static constexpr const char* kType = "process";
  static constexpr auto fields() {
    return std::tuple(
        Field{"cell_id", &ProcessResult::cell_id}, Field{"process_index", &ProcessResult::process_index},
        Field{"attempt", &ProcessResult::attempt}, Field{"environment_hash", &ProcessResult::environment_hash},
        Field{"made_with", &ProcessResult::made_with}, Field{"started_unix_ns", &ProcessResult::started_unix_ns},
        Field{"wall_ns", &ProcessResult::wall_ns}, Field{"phases", &ProcessResult::phases},
        Field{"repetitions", &ProcessResult::repetitions}, Field{"stop_reason", &ProcessResult::stop_reason},
        Field{"is_steady", &ProcessResult::is_steady}, Field{"check", &ProcessResult::check},
        Field{"failure", &ProcessResult::failure}, Field{"threads_used", &ProcessResult::threads_used},
        Field{"facts", &ProcessResult::facts}, Field{"readings", &ProcessResult::readings},
        Field{"log_path", &ProcessResult::log_path});
  }
};

// What decides whether the process may be pooled with others of its cell.
Origin origin_of(const ProcessResult& result);

}  // namespace ngb::samples
