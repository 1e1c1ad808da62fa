// SPDX-License-Identifier: Apache-2.0
// Decides whether a cell has a speed, and collects the repetitions that the speed is computed from.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "statistics/binomial_intervals.h"
#include "store/store.h"

namespace ngb::metrics {

// Empties the value and frees its memory, which an assignment would keep.
template <class T>
void release(T& value) {
  (void)std::exchange(value, T{});
}

// Returns the failure because of which the cell has no speed, or null. That is a failure which is a property of the
// cell (wrong outputs, an unsupported operator, …) and which no later attempt overcame; if no process completed, it is
// the last failure, which may be `disturbed`.
const samples::ProcessResult* decisive_failure(const store::CellData& cell);

// Returns whether no process of the cell completed because the machine was never quiet. The cell has no speed then, but
// it has not failed: the next measurement may give one.
bool is_disturbed(const store::CellData& cell);

// Returns the last failed attempt of each process that no attempt completed, in the order of processes. A process that
// was only disturbed is not lost.
std::vector<const samples::ProcessResult*> lost_processes(const store::CellData& cell);

// Returns why the cell takes part in no verdict: its outputs were compared with nothing although the study asks for a
// check, or they change from one inference to the next, or the compiler emulates operators (baseline.h). Returns "" if
// it takes part.
std::string why_no_verdict(const store::CellData& cell);

// Returns whether the facts of the cell say what a delegate, such as XNNPACK, computes of its model.
bool has_delegate(const store::CellData& cell);

// A number measured by one process. The processes of a group's cells that have the same run, round and environment ran
// one after the other, so that their numbers may be paired. (A cell that is measured again after a change of the
// environment has the same rounds once more.)
struct OfRound {
  std::int64_t run_key = 0;
  int round = 0;  // the process's index
  double value = 0;
  std::string environment_hash{};
};

// Returns whether the process measured the number.
bool is_of_process(const OfRound& number, const store::RecordedProcess& process);

// The percentiles of latency that metrics report.
inline constexpr std::array kLatencyPercentiles{50, 90, 95, 99};

// Returns how many latencies the i-th percentile needs, which grows with i.
constexpr std::size_t needed_latencies(std::size_t i) {
  return i == 0 ? 1 : statistics::fewest_for_percentile(kLatencyPercentiles.at(i));
}

// What the processes of a cell say of one of the shapes that they visit, each by the process (shape_visits.h).
struct ShapeVisits {
  std::string name{};  // "sequence=16"
  std::vector<OfRound> first_s{};
  std::vector<OfRound> second_s{};
  std::vector<OfRound> later_s{};       // the median of the steady visits
  std::vector<OfRound> gained_bytes{};  // resident memory, in the first visit; none of a process that did not read it
};

// What metrics need of the steady repetitions of a cell's completed processes. Its memory grows with the processes, not
// with the repetitions.
struct Steady {
  // samples/s by time (samples/steady_rates.h) of each process; none for one that was never steady
  std::vector<OfRound> throughput_by_process{};
  std::vector<OfRound> median_by_process{};  // samples/s, each process's median rate
  // For each process in throughput_by_process, the speeds of its first n repetitions, for n = 1 and each
  // next_like_count.
  std::vector<std::vector<double>> speeds_of_first{};
  // For each process in throughput_by_process, the inferences to which the use of its phase timed or, if it had that in
  // turns, alone belongs.
  std::vector<Known<double>> timed_inferences{};
  std::vector<Known<double>> alone_inferences{};
  // The smallest number of repetitions of one of these processes; nothing if there is none, or if a process did not
  // stop after a number of repetitions, as several instances do not.
  std::optional<std::size_t> fewest_repetitions{};
  std::size_t processes = 0;                     // completed ones
  double process_s = 0;                          // from its start to its end: mean of the completed ones
  std::size_t repetitions = 0;                   // of all processes
  double throughput_mean = 0;                    // samples/s: the mean of all repetitions' rates, as the paper has it
  std::optional<double> throughput_deviation{};  // sample standard deviation; nothing: fewer than two repetitions
  std::optional<double> spread_ratio{};          // interquartile range / median; nothing: fewer than four repetitions
  std::size_t latencies = 0;                     // of all repetitions, each divided by its inferences; with several
                                                 // inferences in flight those that were kept
  // What each process says of the metric by which the answer is given (Heading::by); nothing: the speed.
  std::optional<Known<std::vector<OfRound>>> judged{};
  std::vector<double> first_passes{};  // of each process that generates tokens: first_pass_ratio_of
  std::vector<ShapeVisits> shapes{};   // that each process visits; none: it has one
  // kLatencyPercentiles of which there are enough latencies; the median has no ends, and is alone if is_grouped
  std::array<statistics::PercentileInterval, kLatencyPercentiles.size()> latency_percentiles_s{};
  bool is_grouped = false;   // some repetition holds more than one inference
  std::string reason{};      // why there are no steady repetitions; empty if there are some
  bool has_failed = false;   // that is the reason: it has a decisive failure, or is disturbed
  std::string no_verdict{};  // why its speed is compared with no other; empty if it may be, or if there is none
  std::string doubt{};       // its flag_against_factors (metric.h)
};

// After the number of repetitions `count`, the next one of which the speed is kept: each up to 128, which is more than
// `repetitions: auto` chooses, then by a sixteenth more, so that memory grows with the logarithm of the repetitions.
constexpr std::size_t next_like_count(std::size_t count) { return count < 128 ? count + 1 : count + count / 16; }

Steady steady(const store::CellData& cell);

// Removes from a cell whose Steady is known what was measured, and processes: of the completed ones, which are of one
// build in one environment, the first stays, and any with the agreement of inputs; of the failed ones those that no
// other attempt overcame.
void keep_outcome(store::CellData& cell);

// The speeds of two cells, from the same number n of repetitions of each process. n is the smaller of the two numbers;
// above 128 it is rounded down to a number whose speed is kept (next_like_count). Early repetitions differ slightly
// from later ones, so that a ratio of unlike numbers would be off.
struct LikeSpeeds {
  std::vector<OfRound> a{};
  std::vector<OfRound> b{};
};
LikeSpeeds like_speeds(const Steady& a, const Steady& b);

// Returns the error rate of the intervals of a cell: 0.05, or that of one look if rounds were added until something was
// decided (statistics/sequential.h).
double interval_error_rate(const store::CellData& cell);

}  // namespace ngb::metrics
