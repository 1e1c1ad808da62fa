// SPDX-License-Identifier: Apache-2.0
// Reads the lines of /proc/stat that count the time of processors, in ticks of the kernel's clock (proc(5)).
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace ngb::probe {

struct Ticks {
  std::uint64_t total = 0;
  std::uint64_t busy = 0;   // all but idle and iowait
  std::uint64_t steal = 0;  // part of busy: the host ran something else
};

// Parses a line such as "cpu3 1 2 3 …"; its first word is not examined. User time includes guest time.
Known<Ticks> parse_ticks(std::string_view line);

// Returns the length of a tick.
std::int64_t tick_ns();

}  // namespace ngb::probe
