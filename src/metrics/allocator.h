// SPDX-License-Identifier: Apache-2.0
// Says what the C library's allocator has to do with a speed: it may return memory to the kernel in every inference,
// and request it again with a page fault for each page. How often is a matter of chance: it depends on the blocks that
// a process has freed before, and on what lies at the end of its heap.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "metrics/outcome.h"
#include "store/store.h"

namespace ngb::metrics {

// Returns whether a reading is one of those that the functions below use.
bool is_about_allocator(const samples::Reading& reading);

// Less of a difference between processes, and less of a speed-up, is not mentioned.
inline constexpr double kLeastAllocatorShare = 0.05;

struct SpeedWithFaults {
  double per_s = 0;        // samples/s of a process
  double page_faults = 0;  // of an inference
};

// Returns the processes of the cell that have a speed and counted their page faults: those of the timed phase over its
// inferences.
std::vector<SpeedWithFaults> with_page_faults(const store::CellData& cell, const Steady& steady);

// Two groups of processes, of which the slower one has the more page faults; means of each group.
struct FaultStates {
  std::size_t slower = 0;  // processes
  std::size_t faster = 0;
  double slower_faults = 0;  // of an inference
  double faster_faults = 0;
  double times = 1;  // as long an inference takes in the slower group, by geometric means
};

// Returns how the two groups differ if their page faults can be the reason: the slower one takes over 5 % longer, has
// at least twice as many page faults, and these would cost at most 10 µs each (2 to 9 µs were measured,
// docs/decisions). `a` or `b` may be the slower one.
std::optional<FaultStates> differ_by_page_faults(std::span<const SpeedWithFaults> a, std::span<const SpeedWithFaults> b,
                                                 int batch);

// Splits the processes of a cell where their page faults are farthest apart, and returns how the two parts differ, if
// they are as above and no process with more page faults is faster than one with fewer.
std::optional<FaultStates> states_of(std::vector<SpeedWithFaults> processes, int batch);

// How many times as much processor time an inference took with the other setting of `allocator`, above 0, as the first
// process of the cell saw after its repetitions.
struct OtherAllocator {
  double times = 1;
  bool keeps = false;  // the other setting keeps all memory: the cell was measured with the C library's defaults
};
std::optional<OtherAllocator> other_allocator_of(const store::CellData& cell);  // nothing if no process looked

}  // namespace ngb::metrics
