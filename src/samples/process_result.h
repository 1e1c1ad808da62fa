// SPDX-License-Identifier: Apache-2.0
// Defines the result of one worker process. A result is checkpointed, sent and recorded as a whole or not at all.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "samples/failure.h"
#include "samples/kernel_profile.h"
#include "samples/provenance.h"

namespace ngb::samples {

// A time in nanoseconds since the start of the process (ProcessResult::started_unix_ns). A worker sends times of the
// monotonic clock, and its agent, which knows when the worker was started, subtracts that. Nothing: recorded by a
// version of NGraphBench that stored no such times.
using StartTime = std::optional<std::int64_t>;

struct PhaseUse {
  Phase phase = Phase::start;
  std::int64_t wall_ns = 0;
  Known<std::int64_t> cpu_ns{};           // user + system over the worker's process tree
  Known<std::uint64_t> peak_rss_bytes{};  // highest resident memory of the worker within the phase
  StartTime started_ns{};

  static constexpr auto fields(auto visit) {
    return visit(Field{"phase", &PhaseUse::phase}, Field{"wall_ns", &PhaseUse::wall_ns},
                 Field{"cpu_ns", &PhaseUse::cpu_ns}, Field{"peak_rss_bytes", &PhaseUse::peak_rss_bytes},
                 Field{"started_ns", &PhaseUse::started_ns});
  }
};

struct Repetition {
  std::int64_t wall_ns = 0;      // around `inferences` inferences
  std::uint32_t inferences = 1;  // k: inferences between two reads of the clock
  bool is_warm_up = false;       // does not count: before the steady part, or while not all instances ran
  StartTime started_ns{};
  std::uint32_t instance = 0;  // that ran it, of the instances that the process consists of

  static constexpr bool kIsArray = true;  // because a process has many
  static constexpr auto fields(auto visit) {
    return visit(Field{"wall_ns", &Repetition::wall_ns}, Field{"inferences", &Repetition::inferences},
                 Field{"is_warm_up", &Repetition::is_warm_up}, Field{"started_ns", &Repetition::started_ns},
                 Field{"instance", &Repetition::instance});
  }
};

struct Check {
  std::string reference{};  // compiler of the reference outputs: "identity 2.15.0"; "none": they were not compared
  std::uint64_t compared_elements = 0;
  Known<double> max_absolute_error{};
  Known<double> max_relative_error{};              // over elements whose reference is not 0
  std::optional<std::uint64_t> finite_elements{};  // compared elements that are finite in both; nothing: not counted
  // Compared elements that zeros, or the one value that an output has throughout, would match; nothing: not counted.
  std::optional<std::uint64_t> small_elements{};
  std::string tolerance{};         // "0.0001 + 0.001·|reference|"; "": nothing was compared
  std::string reference_reason{};  // why the first reference did not judge, or what is wrong with this one; "": nothing
  std::string output_change{};     // how the outputs after the timed phase differ from the first ones; "": they agree

  // Returns whether the outputs were not compared although the study asks for it.
  [[nodiscard]] bool is_lacking() const { return reference == "none" && !reference_reason.empty(); }

  static constexpr auto fields(auto visit) {
    return visit(Field{"reference", &Check::reference}, Field{"compared_elements", &Check::compared_elements},
                 Field{"max_absolute_error", &Check::max_absolute_error},
                 Field{"max_relative_error", &Check::max_relative_error},
                 Field{"finite_elements", &Check::finite_elements}, Field{"small_elements", &Check::small_elements},
                 Field{"tolerance", &Check::tolerance}, Field{"reference_reason", &Check::reference_reason},
                 Field{"output_change", &Check::output_change});
  }
};

// How the outputs for one input (one sample of a batch) agree: of a variant with those of its exact model, taking the
// worst of several outputs; and with the input's label, if the study gives labels.
struct InputAgreement {
  // True if every output of classes has its highest score at the same class, and every output of integers is equal.
  // Empty if there is no such output.
  std::optional<bool> decides_alike{};
  std::optional<double> sqnr_db{};  // 10·log10(Σ b² / Σ (a - b)²); nothing: the outputs are equal, or b is 0 everywhere
  std::optional<double> cosine{};   // Σ a·b / (|a|·|b|); nothing: b is 0 everywhere
  std::optional<double> max_absolute_error{};  // nothing: it was not compared with an exact model
  // 1: the label's class has the highest score. A score that is not finite has the last rank. Nothing: there is no
  // label.
  std::optional<int> label_rank{};
  // True if nothing can be said of this input, because no score of it is finite: of the exact model in an output of
  // classes, or in all its outputs of real numbers; or, with a label, of the model itself.
  bool is_not_finite = false;
  bool operator==(const InputAgreement&) const = default;

  static constexpr bool kIsArray = true;
  static constexpr auto fields(auto visit) {
    return visit(
        Field{"decides_alike", &InputAgreement::decides_alike}, Field{"sqnr_db", &InputAgreement::sqnr_db},
        Field{"cosine", &InputAgreement::cosine}, Field{"max_absolute_error", &InputAgreement::max_absolute_error},
        Field{"label_rank", &InputAgreement::label_rank}, Field{"is_not_finite", &InputAgreement::is_not_finite});
  }
};

// A process is said to suffer from subnormal numbers if its inferences take more than this many times as long as with 0
// in place of such numbers.
inline constexpr double kSubnormalCost = 1.25;

// A quantity that the device reported before, after, over or during the timed phase.
struct Reading {
  std::string quantity{};  // "steal", "pressure_cpu_some", "frequency", "temperature", "power", "load_1min", …
  std::string unit{};      // "percent", "hz", "celsius", "watt", "1", …
  // "start" | "end" | "timed" (over the timed phase) | "alone" (over the phase alone)
  // | "during" (since the reading before, about a second earlier, in the timed phase; in turns: in the phase alone)
  // | "after" (from the timed repetitions on, which a process repeats a while longer)
  // | "mark" (memory, and how many inferences the process had run by then: readings of one time belong together)
  // | "session" (what a further session took, and memory after so many)
  // | "shape" (how often a repetition visits it, and the memory gained in its first visit)
  std::string moment{};
  Known<double> value{};
  StartTime at_ns{};  // when it was taken; only of moments "during", "mark" and "session"

  static constexpr auto fields(auto visit) {
    return visit(Field{"quantity", &Reading::quantity}, Field{"unit", &Reading::unit},
                 Field{"moment", &Reading::moment}, Field{"value", &Reading::value}, Field{"at_ns", &Reading::at_ns});
  }
};

// A program that used processors while a process ran and is no part of that process.
struct Neighbour {
  std::string name{};  // the kernel's: at most 15 bytes
  std::int64_t pid = 0;
  std::int64_t cpu_ns = 0;  // that it used meanwhile

  static constexpr auto fields(auto visit) {
    return visit(Field{"name", &Neighbour::name}, Field{"pid", &Neighbour::pid}, Field{"cpu_ns", &Neighbour::cpu_ns});
  }
};

struct ProcessResult {
  std::string cell_id{};
  int process_index = 0;  // 0 … processes-1
  int attempt = 1;        // 1 …; a retried process keeps its index
  std::string environment_hash{};
  Provenance made_with{};
  std::int64_t started_unix_ns = 0;
  std::int64_t wall_ns = 0;               // agent's clock: from its start until it was reaped, less waits for turns
  std::vector<PhaseUse> phases{};         // phases that were reached, in order
  std::vector<Repetition> repetitions{};  // in the order run, instance by instance; empty if none was run
  // With several inferences in flight: of each repetition, the latencies that were kept. Later ones may be missing.
  std::vector<std::vector<std::int64_t>> latencies_ns{};
  std::string stop_reason{};  // "repetitions" | "half_width" | "max_repetitions" | "max_time"
  bool is_steady = true;      // false: no steady part was found within the bound
  std::optional<Check> check{};
  // Set in the first process of a variant, or of a model with labels. Empty in others, and if nothing was compared.
  std::vector<InputAgreement> agreement{};
  std::optional<Failure> failure{};            // nothing: the process completed
  std::optional<int> threads{};                // that its inference was allowed; nothing: no worker was started for it
  Known<int> threads_used{};                   // threads that used CPU time in the timed phase
  std::map<std::string, std::string> facts{};  // reported by the compiler about itself (`inspect`)
  std::vector<Reading> readings{};
  std::vector<Neighbour> neighbours{};     // of a disturbed process: the busiest first; none if none was found
  std::optional<KernelProfile> profile{};  // of a process with work::Protocol::profile that completed
  std::string log_path{};                  // file of the compiler's output, relative to the agent's work folder

  static constexpr const char* kType = "process";
  static constexpr auto fields(auto visit) {
    return visit(Field{"cell_id", &ProcessResult::cell_id}, Field{"process_index", &ProcessResult::process_index},
                 Field{"attempt", &ProcessResult::attempt}, Field{"environment_hash", &ProcessResult::environment_hash},
                 Field{"made_with", &ProcessResult::made_with},
                 Field{"started_unix_ns", &ProcessResult::started_unix_ns}, Field{"wall_ns", &ProcessResult::wall_ns},
                 Field{"phases", &ProcessResult::phases}, Field{"repetitions", &ProcessResult::repetitions},
                 Field{"latencies_ns", &ProcessResult::latencies_ns}, Field{"stop_reason", &ProcessResult::stop_reason},
                 Field{"is_steady", &ProcessResult::is_steady}, Field{"check", &ProcessResult::check},
                 Field{"agreement", &ProcessResult::agreement}, Field{"failure", &ProcessResult::failure},
                 Field{"threads", &ProcessResult::threads}, Field{"threads_used", &ProcessResult::threads_used},
                 Field{"facts", &ProcessResult::facts}, Field{"readings", &ProcessResult::readings},
                 Field{"neighbours", &ProcessResult::neighbours}, Field{"profile", &ProcessResult::profile},
                 Field{"log_path", &ProcessResult::log_path});
  }
};

// Returns the process's origin: processes of a cell are pooled only if their origins are equal.
Origin origin_of(const ProcessResult& result);

// What the phases of a process took. Pure.

// Returns the wall time of the phase, in seconds; 0 if the process did not reach it.
double seconds_of_phase(const ProcessResult& process, Phase phase);

// Returns how many inferences the processor time and the energy of the phase belong to; `phase` is timed or alone. That
// is what the worker counted (the reading `inferences`). Versions that did not count have it from the repetitions that
// began in the phase; it is unknown if these have no times or are of several instances, which may have dropped some.
Known<double> inferences_of_phase(const ProcessResult& process, Phase phase);

// Returns whether the process reached the phase.
bool has_phase(const ProcessResult& process, Phase phase);

}  // namespace ngb::samples
