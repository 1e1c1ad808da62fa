// SPDX-License-Identifier: Apache-2.0
// Repetitions runs the repetitions of one process from the first inference to the last: group size, warm-up, when to
// stop. It knows neither compiler nor clock; a Repeater runs repetitions and reports how long each took.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "samples/process_result.h"
#include "work/job.h"
#include "work/protocol.h"
#include "worker/loop.h"
#include "worker/stopping.h"

namespace ngb::worker {

// Short inferences are grouped into repetitions that are long compared with the clock's resolution.
inline constexpr std::uint32_t kMaxGroupSize = 1U << 30U;

// Returns the group size to use next. `fastest_ns` is the fastest repetition so far of `inferences` inferences. If it
// lasts at least min_repetition_ns, the size stays. Else the new size should last 1.2 times that, and is at most 1,000
// times the old one.
std::uint32_t next_group_size(std::uint32_t inferences, std::int64_t fastest_ns, std::int64_t min_repetition_ns);

// Returns whether one repetition proves that no grouping is needed, because it lasted three times the minimum.
bool is_clearly_long(std::int64_t wall_ns, std::int64_t min_repetition_ns);

// What a process that is watched for memory that it keeps runs at least, after its timed repetitions.
inline constexpr std::uint64_t kWatchedInferences = 1'000;
inline constexpr std::size_t kMarks = 100;

class Repeater {
 public:
  virtual ~Repeater() = default;
  // Runs as many repetitions of `inferences` inferences as `times` holds and stores their times. Returns how many were
  // completed: fewer than requested if an inference failed, after which it is not called again.
  // The first call runs one inference, or pass(), alone. If several are in flight in later calls, `inferences` is a
  // multiple of their number. `latencies_ns` receives the latencies that are kept (in_flight.h), if there are any:
  // where several are in flight, and of passes.
  virtual std::size_t repeat(std::uint32_t inferences, const Times& times, std::span<std::int64_t> latencies_ns) = 0;
  // Returns how many inferences are in flight at a time.
  [[nodiscard]] virtual std::uint32_t in_flight() const { return 1; }
  // Returns how many inferences make a pass, which a repetition then is; 0: a repetition may be any number of them.
  [[nodiscard]] virtual std::uint32_t pass() const { return 0; }
};

// The time of an inference some time after the timed phase, in nanoseconds: the medians of a longer look's second
// half. They are empty if fewer than three repetitions were completed in that half, or if one failed.
struct Later {
  std::optional<double> inference_ns{};
  // With subnormal numbers taken as 0; nothing as well unless subnormals_cost_time (worker/subnormals.h).
  std::optional<double> flushed_ns{};
};

class Repetitions {
 public:
  // Allocates and touches the memory for all repetitions. The repeater outlives this object.
  Repetitions(const work::Protocol& protocol, Repeater& repeater);

  // Runs the process's first inference, whose outputs are checked; it is also a repetition of the warm-up. This and the
  // functions below return false if the repeater failed.
  bool infer_first();

  // Runs the warm-up phase: the pilot that fixes the group size and, with `repetitions: auto`, their number; at least
  // one repetition; then what warm_up requires. Runs nothing if the first inference was enough.
  bool warm_up();

  // Runs the timed phase until the steady repetitions meet a stopping rule. If its first repetition shows that
  // inferences are shorter than the process's first one was, they are grouped after all, and what ran before is the
  // warm-up. If no steady part is found before the transient has lasted max_transient_ns, the rules are applied to the
  // last repetitions and is_steady() is false.
  bool time();

  // Repeats after `time` until `is_over` returns true. Once the memory is full, the oldest steady repetitions make room
  // for the newest: those are the ones that another instance, which began later, has beside its own.
  bool go_on(const std::function<bool()>& is_over);

  // Repeats for about this long after `time`, to see whether the speed changes, and what subnormal numbers cost: every
  // other part of it is run after flush(true), before flush(false). `cpu_ns` returns the processor time that this
  // thread has used. What it runs is not among the repetitions.
  Later look_longer(std::int64_t for_ns, const std::function<void(bool)>& flush,
                    const std::function<std::int64_t()>& cpu_ns);

  // Repeats after `time` for kWatchedInferences and kMarks repetitions, or until it has taken `most_ns`. Calls `mark`
  // before the first and after the last one, and kMarks times in between at equal distances, with the number of
  // inferences since the process's first one. What it runs is not among the repetitions. Returns false if one failed.
  bool watch(std::int64_t most_ns, const std::function<void(std::uint64_t inferences)>& mark);

  // Repeats once, and then for about this long, at least three times. Returns the median processor time of an inference
  // in nanoseconds, by `cpu_ns`, which returns what this process has used; nothing if one failed. What it runs is not
  // among the repetitions.
  std::optional<double> processor_time_ns(std::int64_t for_ns, const std::function<std::int64_t()>& cpu_ns);
  // Returns the shortest steady repetition. Precondition: `time` has succeeded.
  [[nodiscard]] std::int64_t shortest_ns() const { return fastest_ns(); }

  // Returns the fewest steady repetitions that `time` runs. Precondition: the warm-up has succeeded.
  [[nodiscard]] std::size_t least() const;

  // Returns the latencies that were kept of each repetition, in the order of `repetitions`; empty if one inference is
  // in flight at a time and there are no passes. Repetitions at the end may be missing: the latencies of a process are
  // limited.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> latencies_ns() const;
  // Returns the completed repetitions in the order run.
  [[nodiscard]] std::vector<samples::Repetition> repetitions() const;
  // Returns how many inferences all repetitions so far had, also those that were forgotten.
  [[nodiscard]] std::uint64_t inferences() const { return inferences_done_; }
  [[nodiscard]] const std::string& stop_reason() const { return stop_reason_; }
  [[nodiscard]] bool is_steady() const { return is_steady_; }

 private:
  bool run(std::size_t count);
  bool find_group_size();
  bool choose_repetitions();
  void judge();
  [[nodiscard]] std::size_t next_count(const SoFar& so_far) const;
  // Forgets the older half of the steady repetitions, with their latencies.
  void forget_oldest();
  // Returns the repetitions of the final group size.
  [[nodiscard]] std::span<const std::int64_t> spans_ns() const;
  // Returns the shortest of them. Precondition: there is one.
  [[nodiscard]] std::int64_t fastest_ns() const;

  work::Protocol protocol_;  // with a number of repetitions once it is known
  Repeater& repeater_;
  std::vector<std::unique_ptr<StoppingRule>> rules_{};
  std::vector<std::int64_t> walls_ns_;      // allocated for the largest number of repetitions
  std::vector<std::int64_t> begins_ns_;     // likewise
  std::vector<std::uint32_t> pilot_sizes_;  // inferences of the repetitions before the final group size
  std::vector<std::int64_t> latencies_ns_;  // of all repetitions; none if none are kept
  std::vector<std::size_t> latency_ends_;   // by repetition: the end of its latencies in latencies_ns_
  std::size_t latencies_kept_ = 0;
  std::size_t done_ = 0;
  std::uint64_t inferences_done_ = 0;
  std::uint32_t inferences_ = 1;   // of a repetition
  bool is_size_found_ = false;     // by pilots; else the first inference was clearly long
  std::size_t warm_up_count_ = 0;  // of spans_ns()
  std::size_t timed_from_ = 0;     // index of the timed phase's first repetition
  bool is_transient_over_ = false;
  bool has_given_up_ = false;
  bool is_steady_ = true;
  std::string stop_reason_;
};

// Returns for how many nanoseconds a cell's first process goes on after its timed phase, so that a change of its speed
// is seen (Protocol::longer_look_s); 0 or less: it does not go on. `phases` are those that it ran.
std::int64_t longer_look_ns(const work::Protocol& protocol, const std::vector<samples::PhaseUse>& phases);

// Adds what it found: the times of an inference, as `later_inference` and `flushed_inference`.
void add_readings(const Later& later, std::vector<samples::Reading>& readings);

}  // namespace ngb::worker
