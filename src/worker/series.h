// SPDX-License-Identifier: Apache-2.0
// The repetitions of one process, from the first inference to the last: group size, warm-up, when to stop. It knows no
// compiler and no clock, only how to have repetitions run and how long each took.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "samples/job.h"
#include "samples/process_result.h"
#include "worker/stopping.h"

namespace ngb::worker {

class Repeater {
 public:
  virtual ~Repeater() = default;
  // Fills in walls_ns, one repetition of `inferences` inferences each. Returns how many were completed: fewer than
  // asked for when an inference failed, after which it is not called again.
  virtual std::size_t repeat(std::uint32_t inferences, std::span<std::int64_t> walls_ns) = 0;
};

class Series {
 public:
  // Allocates (and touches) the memory for all samples. Both arguments outlive the series.
  Series(const samples::Protocol& protocol, Repeater& repeater);

  // The process's first inference: it is what the check looks at, and a repetition of the warm-up. False, here and
  // below: the repeater gave up.
  bool infer_first();

  // The warm-up phase: the pilot that fixes the group size, at least one repetition, then what fixed_warm_up asks for.
  // Nothing is run where the first inference was all of that.
  bool warm_up();

  // The timed phase: repetitions until a stopping rule is met by the steady ones. When no steady part is found before
  // the transient has taken max_transient_ns, the rules are met by the last repetitions and is_steady() is false.
  bool time();

  // In the order run, whatever was completed.
  [[nodiscard]] std::vector<samples::Repetition> repetitions() const;
  [[nodiscard]] const std::string& stop_reason() const { return stop_reason_; }
  [[nodiscard]] bool is_steady() const { return is_steady_; }

 private:
  bool run(std::size_t count);
  bool find_group_size();
  void judge();
  [[nodiscard]] std::size_t next_count(const SoFar& so_far) const;
  // Repetitions of the final group size.
  [[nodiscard]] std::span<const std::int64_t> series() const;

  const samples::Protocol& protocol_;
  Repeater& repeater_;
  std::vector<std::unique_ptr<StoppingRule>> rules_;
  std::vector<std::int64_t> walls_ns_;      // all that there is room for
  std::vector<std::uint32_t> pilot_sizes_;  // inferences of the repetitions before the final group size
  std::size_t done_ = 0;
  std::uint32_t inferences_ = 1;
  std::size_t warm_up_count_ = 0;  // of series()
  std::size_t timed_from_ = 0;     // index of the timed phase's first repetition
  bool is_transient_over_ = false;
  bool has_given_up_ = false;
  bool is_steady_ = true;
  std::string stop_reason_;
};

}  // namespace ngb::worker
