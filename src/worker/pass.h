// SPDX-License-Identifier: Apache-2.0
// A repetition of several inferences that differ: the steps of a model that generates tokens (passes.h), or visits of
// several shapes (visits.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ngraphbench/compiler.h"
#include "samples/process_result.h"
#include "samples/progress_page.h"
#include "worker/loop.h"
#include "worker/reference_file.h"

namespace ngb::worker {

class Pass {
 public:
  Pass() = default;
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;
  Pass(Pass&&) = default;
  Pass& operator=(Pass&&) = default;
  virtual ~Pass() = default;

  // Runs as many passes as `times` holds. Returns how many were completed; after fewer, *status and the target's error
  // are set. A pass lasts as long as its inferences together. `done` grows by one repetition for each. `latencies_ns`
  // receives the times of the inferences that are kept (in_flight.h), as far as it has room.
  virtual std::size_t repeat(const Times& times, std::span<std::int64_t> latencies_ns, samples::RunCount& done,
                             ngb_status* status) = 0;
  [[nodiscard]] virtual std::uint32_t steps() const = 0;  // inferences of a pass
  // Returns whether the inference that keeps its time at this place does in a process's first pass what later ones do
  // not: it meets something for the first time.
  [[nodiscard]] virtual bool is_first(std::size_t step) const = 0;

  // Makes the next pass keep what it returns.
  virtual void keep_next() = 0;
  // Returns what the last pass that was kept has returned.
  [[nodiscard]] virtual std::vector<OutputView> outputs() const = 0;
  // Adds what metrics need of the passes.
  virtual void add_to(samples::ProcessResult& result) const = 0;
};

}  // namespace ngb::worker
