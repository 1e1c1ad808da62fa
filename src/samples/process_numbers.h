// SPDX-License-Identifier: Apache-2.0
// Numbers that a process says by itself, as metrics compute them of a cell's processes and as a device computes them to
// decide whether another round is needed. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "samples/process_result.h"
#include "work/decided_by.h"

namespace ngb::samples {

// Returns the number, or why it is unknown; nothing of a process that does not count: it has no such phase.
using ProcessNumber = std::optional<Known<double>>(const ProcessResult& process);

ProcessNumber compile_s;        // without what tuning took of it
ProcessNumber compile_total_s;  // with what tuning took in all processes so far
ProcessNumber load_s, first_inference_s, compile_cpu_s;
ProcessNumber cold_start_s, warm_start_s;  // of a process that compiled, and of one that loaded
ProcessNumber compile_peak_bytes, timed_peak_bytes;
ProcessNumber cpu_per_inference_s;
ProcessNumber memory_growth_bytes_per_inference, session_memory_bytes;  // the slope of its marks after the last knee

// Returns what a process says of the metric of that name; null if several processes are needed to say it, if it is over
// inputs or related to another cell, or if it does not vary.
ProcessNumber* process_number(std::string_view metric);
// Returns the names for which there is one.
std::vector<std::string_view> process_numbers();

// Returns whether a single process says what decides by a metric, or whether a bound of it is kept: it has a number, or
// a speed that says it.
bool can_decide(std::string_view metric);

// Returns how many of `per_s` a process does in so many seconds if it first has to start, by compiling or by loading: 0
// if that takes longer. Returns nothing of a process that did not record its phases.
std::optional<double> count_in_window(const ProcessResult& process, double per_s, double window_s);

// Stands for "keeps the bound, however it is meant": the number is nothing or less, and the bound is the most.
inline constexpr double kKeptByFar = 1e9;

// Returns the numbers of a process that decide how many rounds there are. First come those of the bounds: how well it
// keeps each, as the number over the bound, or the bound over the number where that is the most; 0 if the number is
// unknown, kKeptByFar if it is nothing or less. Of a speed, saved bits and samples in a window the number is of
// inferences, which batch and bits turn into samples. Then, without a metric, its speeds by time (steady_rates.h). With
// one it is the metric's number; none if that is unknown, or has no logarithm and needs one. For work::kSavedBits they
// are the speeds, for work::kSamplesInWindow the inferences.
std::vector<double> deciding_numbers(const ProcessResult& process, const std::optional<work::DecidedBy>& decided_by);

// The latencies of a process that were measured one by one, or else t / k of each counted repetition.
struct ProcessLatencies {
  std::vector<double> seconds{};
  bool is_grouped = false;  // some are means over the inferences of a repetition
};
ProcessLatencies latencies_of(const ProcessResult& process);

// What the marks of a process count: inferences since its start, or sessions that it made and destroyed.
enum class MarksOf { inferences, sessions };
// The moments of readings at which there are such marks, and the quantity of a session's time at the latter.
inline constexpr const char* kInferenceMark = "mark";
inline constexpr const char* kSessionMark = "session";
inline constexpr const char* kSessionTime = "session";

// The moment of readings that say which shapes a process has visited, in the order in which the latencies of a
// repetition have them: the quantity is a shape's name, with the unit 1 how often a repetition visits it, and in bytes
// the resident memory that the process gained in its first visit.
inline constexpr const char* kShape = "shape";

// A reading of a process's memory, with the count by then.
struct MemoryMark {
  double count = 0;
  double bytes = 0;  // resident
  std::int64_t at_ns = 0;
};
// Returns the marks of a process in the order of their counts; at most so many, evenly chosen.
std::vector<MemoryMark> memory_marks(const ProcessResult& process, std::size_t most, MarksOf of = MarksOf::inferences);

// Returns a number that the compiler reported as a fact.
std::optional<double> told_number(const ProcessResult& process, const char* fact);

}  // namespace ngb::samples
