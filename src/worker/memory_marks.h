// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "samples/process_result.h"

namespace ngb::worker {

// The memory of this process, in bytes.
struct OwnMemory {
  Known<double> resident{};
  Known<double> proportional{};  // pages that others share count in part
};
// Reads <proc>/self/smaps_rollup, which counts page by page; if the kernel has none, the resident memory is that of
// <proc>/self/statm, which may be off by some dozen pages for each thread.
OwnMemory own_memory(const std::string& proc = "/proc");

// Collects the memory of this process at marks, each after a number of inferences or of what `quantity` names, if it is
// to be watched.
class MemoryMarks {
 public:
  explicit MemoryMarks(bool is_watched, const char* moment = "mark", const char* quantity = "inferences")
      : is_watched_(is_watched), moment_(moment), quantity_(quantity) {}
  // Reads the memory now, after so many of them.
  void add(std::uint64_t count);
  // Adds the readings of all marks, of that moment: the count, memory and proportional_memory of one time each.
  void add_to(std::vector<samples::Reading>& readings) const;

 private:
  struct Mark {
    std::int64_t at_ns = 0;
    std::uint64_t count = 0;
    OwnMemory memory{};
  };
  bool is_watched_;
  const char* moment_;
  const char* quantity_;
  std::vector<Mark> marks_{};
};

}  // namespace ngb::worker
