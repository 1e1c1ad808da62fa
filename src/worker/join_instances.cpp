// SPDX-License-Identifier: Apache-2.0
#include "worker/join_instances.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace ngb::worker {
namespace {

using samples::PhaseUse;
using samples::ProcessResult;
using samples::Reading;
using samples::Repetition;

std::int64_t begin_of(const Repetition& repetition) { return repetition.started_ns.value_or(0); }
std::int64_t end_of(const Repetition& repetition) { return begin_of(repetition) + repetition.wall_ns; }

// The time in which all instances ran steady repetitions; empty if one has none.
struct Window {
  std::int64_t begin_ns = std::numeric_limits<std::int64_t>::min();
  std::int64_t end_ns = std::numeric_limits<std::int64_t>::max();
  [[nodiscard]] bool contains(const Repetition& repetition) const {
    return begin_of(repetition) >= begin_ns && end_of(repetition) <= end_ns;
  }
};

Window common_window(const std::vector<ProcessResult>& results) {
  Window window;
  for (const ProcessResult& result : results) {
    std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
    std::int64_t last_ns = std::numeric_limits<std::int64_t>::min();
    for (const Repetition& repetition : result.repetitions) {
      if (repetition.is_warm_up) continue;
      first_ns = std::min(first_ns, begin_of(repetition));
      last_ns = std::max(last_ns, end_of(repetition));
    }
    window.begin_ns = std::max(window.begin_ns, first_ns);
    window.end_ns = std::min(window.end_ns, last_ns);
  }
  return window;
}

template <class T>
void add(Known<T>& sum, const Known<T>& other) {
  if (!sum.value) return;
  if (other.value) {
    *sum.value += *other.value;
  } else {
    sum = other;
  }
}

// An unknown value leaves the maximum unknown.
template <class T>
void raise_to(Known<T>& highest, const Known<T>& other) {
  if (!highest.value) return;
  if (!other.value || *other.value > *highest.value) highest = other;
}

void extend(PhaseUse& joined, const PhaseUse& other) {
  const std::int64_t begin_ns = std::min(joined.started_ns.value_or(0), other.started_ns.value_or(0));
  const std::int64_t end_ns =
      std::max(joined.started_ns.value_or(0) + joined.wall_ns, other.started_ns.value_or(0) + other.wall_ns);
  joined.started_ns = begin_ns;
  joined.wall_ns = end_ns - begin_ns;
  add(joined.cpu_ns, other.cpu_ns);
  add(joined.peak_rss_bytes, other.peak_rss_bytes);
}

void join_phases(ProcessResult& joined, const ProcessResult& other) {
  for (PhaseUse& use : joined.phases) {
    if (use.phase != samples::Phase::warm_up && use.phase != samples::Phase::timed) continue;
    const auto same = std::find_if(other.phases.begin(), other.phases.end(),
                                   [&](const PhaseUse& each) { return each.phase == use.phase; });
    if (same != other.phases.end()) extend(use, *same);
  }
}

void join_readings(ProcessResult& joined, const ProcessResult& other) {
  constexpr std::array<std::string_view, 4> kHighest{"run_queue_wait", "core_steal", "throttled", "other_cpu"};
  for (Reading& reading : joined.readings) {
    if (reading.moment != "timed") continue;
    const auto same = std::find_if(other.readings.begin(), other.readings.end(), [&](const Reading& each) {
      return each.quantity == reading.quantity && each.moment == reading.moment;
    });
    if (same == other.readings.end()) continue;
    const bool is_highest = std::find(kHighest.begin(), kHighest.end(), reading.quantity) != kHighest.end();
    if (is_highest) raise_to(reading.value, same->value);
    if (reading.quantity == "page_faults") add(reading.value, same->value);
  }
}

void join_check(ProcessResult& joined, const ProcessResult& other) {
  if (!joined.check || !other.check) return;
  raise_to(joined.check->max_absolute_error, other.check->max_absolute_error);
  raise_to(joined.check->max_relative_error, other.check->max_relative_error);
  std::optional<std::uint64_t>& finite = joined.check->finite_elements;
  if (finite && other.check->finite_elements) finite = std::min(*finite, *other.check->finite_elements);
  if (joined.check->output_change.empty()) joined.check->output_change = other.check->output_change;
}

void join_facts(ProcessResult& joined, const ProcessResult& other) {
  const auto affinity = other.facts.find("affinity");
  if (affinity != other.facts.end()) joined.facts["affinity"] += " | " + affinity->second;
}

// Appends what the instance ran, and says what of it does not count.
void append(std::vector<Repetition>& repetitions, std::vector<std::vector<std::int64_t>>& latencies_ns,
            ProcessResult& result, std::uint32_t instance, const Window& window) {
  if (!result.latencies_ns.empty()) {
    latencies_ns.resize(repetitions.size());
    std::move(result.latencies_ns.begin(), result.latencies_ns.end(), std::back_inserter(latencies_ns));
  }
  for (Repetition& repetition : result.repetitions) {
    repetition.instance = instance;
    repetition.is_warm_up = repetition.is_warm_up || !window.contains(repetition);
    repetitions.push_back(repetition);
  }
}

}  // namespace

ProcessResult join_instances(std::vector<ProcessResult> results, Counted counted) {
  const Window window = counted == Counted::while_all_run ? common_window(results) : Window();
  std::vector<Repetition> repetitions;
  std::vector<std::vector<std::int64_t>> latencies_ns;
  for (std::size_t i = 0; i < results.size(); ++i) {
    append(repetitions, latencies_ns, results[i], static_cast<std::uint32_t>(i), window);
  }
  ProcessResult joined = std::move(results.front());
  for (std::size_t i = 1; i < results.size(); ++i) {
    const ProcessResult& other = results[i];
    join_phases(joined, other);
    join_readings(joined, other);
    join_check(joined, other);
    join_facts(joined, other);
    raise_to(joined.threads_used, other.threads_used);
    joined.is_steady = joined.is_steady && other.is_steady;
    if (joined.stop_reason == "repetitions") joined.stop_reason = other.stop_reason;
  }
  joined.repetitions = std::move(repetitions);
  joined.latencies_ns = std::move(latencies_ns);
  return joined;
}

}  // namespace ngb::worker
