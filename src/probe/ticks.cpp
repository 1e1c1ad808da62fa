// SPDX-License-Identifier: Apache-2.0
#include "probe/ticks.h"

#include <unistd.h>

#include <string>
#include <vector>

#include "probe/tree.h"

namespace ngb::probe {
namespace {

enum Column { kUser, kNice, kSystem, kIdle, kIowait, kIrq, kSoftirq, kSteal, kColumns };

}  // namespace

Known<Ticks> parse_ticks(std::string_view line) {
  const std::vector<std::string> fields = words(line);
  if (fields.size() < kColumns + 1) return Known<Ticks>::unknown("/proc/stat: too few columns");
  Ticks ticks;
  std::uint64_t columns[kColumns];
  for (std::size_t column = 0; column < kColumns; ++column) {
    const auto value = parse_unsigned(fields[column + 1]);
    if (!value) return Known<Ticks>::unknown("/proc/stat: not a number: " + fields[column + 1]);
    ticks.total += columns[column] = *value;
  }
  ticks.steal = columns[kSteal];
  ticks.busy = ticks.total - columns[kIdle] - columns[kIowait];
  return Known<Ticks>::of(ticks);
}

std::int64_t tick_ns() {
  static const std::int64_t kTick = 1'000'000'000 / ::sysconf(_SC_CLK_TCK);
  return kTick;
}

}  // namespace ngb::probe
