// SPDX-License-Identifier: Apache-2.0
#include "worker/threads.h"

#include <dirent.h>
#include <fmt/format.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <memory>
#include <numeric>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "base/processors.h"
#include "base/topology.h"
#include "probe/probe.h"

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

namespace {

// Sets from which nodes this thread and its threads take memory. A machine with one node has no choice.
Status take_memory_from(const ProcessorChoice& choice) {
  const std::vector<int> there = memory_nodes();
  const Result<std::vector<int>> nodes = memory_meant(choice, there);
  if (!nodes) return error_of(nodes);
  if (nodes->empty() || there.size() == 1) return Done{};
  constexpr std::size_t kBits = 8 * sizeof(unsigned long);
  std::vector<unsigned long> mask(static_cast<std::size_t>(nodes->back()) / kBits + 1);
  for (const int node : *nodes)
    mask[static_cast<std::size_t>(node) / kBits] |= 1UL << static_cast<std::size_t>(node) % kBits;
  const int mode = choice.memory == "interleave" ? MPOL_INTERLEAVE : MPOL_BIND;
  // The kernel reads one bit less than it is told (set_mempolicy(2)).
  if (::syscall(SYS_set_mempolicy, mode, mask.data(), mask.size() * kBits + 1) == 0) return Done{};
  return tl::unexpected(file::from_errno("take memory from nodes " + cpu_list(*nodes), "processors", errno));
}

}  // namespace

Result<std::string> pin_to_cpus(const work::Compiler& compiler, int instance) {
  const std::vector<int> allowed = probe::allowed_cpus();
  const bool is_own = compiler.processors != work::kChosenProcessors;
  const int needed = work::needed_processors(compiler);
  // If the agent has already chosen the processors of a worker with one instance, nothing is read from /sys within the
  // open phase.
  const bool are_chosen = is_own || allowed.size() <= static_cast<std::size_t>(std::max(needed, 1));
  std::vector<int> chosen = are_chosen ? allowed : choose_cpus(allowed, cores_of(allowed), needed);
  if (compiler.instances > 1) chosen = part_of_cpus(chosen, cores_of(chosen), instance, compiler.instances);
  if (chosen.empty()) return fail("no processor is allowed", "affinity");
  if (is_own) {
    const Result<ProcessorChoice> choice = parse_processor_choice(compiler.processors);
    if (!choice) return error_of(choice);
    if (const Status taken = take_memory_from(*choice); !taken) return error_of(taken);
  }
  if (!confine(0, chosen)) {
    return tl::unexpected(file::from_errno("pin to processors " + cpu_list(chosen), "affinity", errno));
  }
  return cpu_list(probe::allowed_cpus());
}

std::optional<Error> too_few_processors(const work::Compiler& compiler, std::size_t processors) {
  if (static_cast<std::size_t>(work::needed_processors(compiler)) <= processors) return std::nullopt;
  const std::string more = fmt::format("more than the {} processors that the device lets a process use", processors);
  if (compiler.instances == 1) {
    return Error{fmt::format("{} threads are {}", compiler.threads, more), "threads",
                 fmt::format("give at most {} threads in the study, or threads: all", processors)};
  }
  return Error{fmt::format("{} instances of {} thread{} need {} processors, {}", compiler.instances, compiler.threads,
                           compiler.threads == 1 ? "" : "s", work::needed_processors(compiler), more),
               "instances", "give fewer instances or threads in the study"};
}

}  // namespace ngb::worker
