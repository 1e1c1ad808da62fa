// SPDX-License-Identifier: Apache-2.0
// Changes what the C library's allocator (glibc's malloc) does with memory that an inference frees.
#pragma once

#include <cstdint>
#include <optional>

#include "samples/process_result.h"
#include "worker/repetitions.h"

namespace ngb::worker {

// Returns whether this process was started with the variables of `allocator: steady`.
bool keeps_memory();

// From now on, the allocator keeps all freed memory, as with `allocator: steady`; or, with false, it returns each block
// of 128 KiB or more to the kernel as soon as it is freed, and what is free at the end of the heap. With these
// thresholds (mallopt(3)) every process of glibc begins. It raises them by blocks that happen to be freed, so that a
// process may also return less. Returns false, and does nothing, if the C library is another one.
bool set_keeps_memory(bool keeps);

// Returns how many times as much processor time an inference takes with the other setting of `allocator`: the reading
// `returning_memory` or `keeping_memory`. Nothing if an eighth of `for_ns` is too short for an inference. The setting
// stays changed: called at the end of a process.
std::optional<samples::Reading> with_other_allocator(Repetitions& repetitions, std::int64_t for_ns);

}  // namespace ngb::worker
