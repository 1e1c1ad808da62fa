// SPDX-License-Identifier: Apache-2.0
#include "worker/memory_marks.h"

#include <unistd.h>

#include <optional>
#include <sstream>
#include <string_view>

#include "base/clock.h"
#include "base/file.h"

namespace ngb::worker {

namespace {

// Returns the kilobytes behind the key, which begins a line, in bytes.
std::optional<double> bytes_behind(const std::string& text, std::string_view key) {
  const std::size_t line = text.find(key);
  double kilobytes = 0;
  if (line == std::string::npos || !(std::istringstream(text.substr(line + key.size())) >> kilobytes)) {
    return std::nullopt;
  }
  return 1024 * kilobytes;
}

Known<double> resident_of_statm(const std::string& proc) {
  const Result<std::string> statm = file::read(proc + "/self/statm");
  if (!statm) return Known<double>::unknown(statm.error().text());
  double size = 0;
  double resident = 0;
  if (!(std::istringstream(*statm) >> size >> resident)) {
    return Known<double>::unknown(proc + "/self/statm has no resident pages");
  }
  return Known<double>::of(resident * static_cast<double>(::sysconf(_SC_PAGESIZE)));
}

}  // namespace

OwnMemory own_memory(const std::string& proc) {
  const Result<std::string> rollup = file::read(proc + "/self/smaps_rollup");
  const std::optional<double> resident = rollup ? bytes_behind(*rollup, "\nRss:") : std::nullopt;
  const std::optional<double> proportional = rollup ? bytes_behind(*rollup, "\nPss:") : std::nullopt;
  return {resident ? Known<double>::of(*resident) : resident_of_statm(proc),
          proportional ? Known<double>::of(*proportional)
                       : Known<double>::unknown("the kernel has no " + proc + "/self/smaps_rollup")};
}

void MemoryMarks::add(std::uint64_t count) {
  if (is_watched_) marks_.push_back({system_clock().now().count(), count, own_memory()});
}

void MemoryMarks::add_to(std::vector<samples::Reading>& readings) const {
  for (const Mark& mark : marks_) {
    const auto count = Known<double>::of(static_cast<double>(mark.count));
    readings.push_back({quantity_, "1", moment_, count, mark.at_ns});
    readings.push_back({"memory", "byte", moment_, mark.memory.resident, mark.at_ns});
    readings.push_back({"proportional_memory", "byte", moment_, mark.memory.proportional, mark.at_ns});
  }
}

}  // namespace ngb::worker
