// SPDX-License-Identifier: Apache-2.0
#include "worker/threads.h"

#include <dirent.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <memory>
#include <numeric>
#include <string_view>
#include <system_error>
#include <vector>

namespace ngb::worker {
namespace {

// Returns the kernel's id of another thread's CPU-time clock: the complement of the thread's id, then 0b110 (per
// thread, scheduler's time). pthread_getcpuclockid computes the same from a pthread_t.
clockid_t cpu_clock_of(pid_t thread) { return static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3U) | 6U); }

}  // namespace

std::map<pid_t, std::int64_t> thread_cpu_times_ns(std::string& complaint) {
  std::map<pid_t, std::int64_t> times;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc/self/task"), &::closedir);
  if (folder == nullptr) complaint = "/proc/self/task is not readable";
  while (const dirent* entry = folder != nullptr ? ::readdir(folder.get()) : nullptr) {
    const std::string_view name = entry->d_name;
    pid_t thread = 0;
    if (std::from_chars(name.begin(), name.end(), thread).ptr != name.end()) continue;
    struct timespec time{};
    if (::clock_gettime(cpu_clock_of(thread), &time) == 0) {
      times[thread] = std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
    } else {
      complaint = "no CPU-time clock of other threads: " + std::generic_category().message(errno);
    }
  }
  return times;
}

Known<int> ThreadMeter::busy_since(std::int64_t wall_ns) const {
  std::string complaint = complaint_;
  const std::map<pid_t, std::int64_t> after = thread_cpu_times_ns(complaint);
  if (before_.empty() || after.empty()) return Known<int>::unknown(complaint);
  return Known<int>::of(count_busy(before_, after, wall_ns));
}

int count_busy(const std::map<pid_t, std::int64_t>& before, const std::map<pid_t, std::int64_t>& after,
               std::int64_t wall_ns) {
  std::vector<std::int64_t> grown_ns;
  for (const auto& [thread, time_ns] : after) {
    const auto earlier = before.find(thread);
    grown_ns.push_back(time_ns - (earlier == before.end() ? 0 : earlier->second));
  }
  const std::int64_t all_ns = std::accumulate(grown_ns.begin(), grown_ns.end(), std::int64_t{0});
  const std::int64_t least_ns = std::min(wall_ns, all_ns) / 100;
  return static_cast<int>(
      std::count_if(grown_ns.begin(), grown_ns.end(), [least_ns](std::int64_t ns) { return ns > least_ns; }));
}

}  // namespace ngb::worker
