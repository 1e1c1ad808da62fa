// SPDX-License-Identifier: Apache-2.0
#include "worker/resources.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <map>
#include <memory>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/file.h"

namespace ngb::worker {
namespace {

std::int64_t total_ns(const struct rusage& use) {
  const auto ns = [](const struct timeval& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + std::int64_t{time.tv_usec} * 1'000;
  };
  return ns(use.ru_utime) + ns(use.ru_stime);
}

struct ProcessTimes {
  pid_t parent = 0;
  std::int64_t ticks = 0;  // its own and those of its ended children
};

// Reads the fields 4 and 14 … 17 of /proc/<pid>/stat. The name in field 2 may contain blanks and brackets.
bool parse_stat(const std::string& stat, ProcessTimes& times) {
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return false;
  std::istringstream fields(stat.substr(name_end + 1));
  std::string skipped;
  fields >> skipped >> times.parent;
  for (int field = 5; field <= 13; ++field) fields >> skipped;
  for (int field = 14; field <= 17; ++field) {
    std::int64_t ticks = 0;
    fields >> ticks;
    times.ticks += ticks;
  }
  return !fields.fail();
}

std::map<pid_t, ProcessTimes> all_processes() {
  std::map<pid_t, ProcessTimes> processes;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), &::closedir);
  if (folder == nullptr) return processes;
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    pid_t pid = 0;
    if (std::from_chars(name.begin(), name.end(), pid).ptr != name.end()) continue;
    const Result<std::string> stat = file::read("/proc/" + std::string(name) + "/stat");
    ProcessTimes times;
    if (stat && parse_stat(*stat, times)) processes[pid] = times;
  }
  return processes;
}

// Returns true if the kernel lists children (CONFIG_PROC_CHILDREN) and there are none. Then /proc need not be read.
bool surely_has_no_children() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc/self/task"), &::closedir);
  if (folder == nullptr) return false;
  while (const dirent* entry = ::readdir(folder.get())) {
    if (entry->d_name[0] == '.') continue;
    const Result<std::string> children = file::read(std::string("/proc/self/task/") + entry->d_name + "/children");
    if (!children || !children->empty()) return false;
  }
  return true;
}

std::int64_t live_descendants_ns() {
  if (surely_has_no_children()) return 0;
  const std::map<pid_t, ProcessTimes> processes = all_processes();
  const pid_t self = ::getpid();
  std::int64_t ticks = 0;
  for (const auto& [pid, times] : processes) {
    pid_t ancestor = times.parent;
    while (ancestor != self && processes.contains(ancestor)) ancestor = processes.at(ancestor).parent;
    if (ancestor == self) ticks += times.ticks;
  }
  return ticks * (1'000'000'000 / ::sysconf(_SC_CLK_TCK));
}

}  // namespace

Known<std::int64_t> cpu_time_of_tree_ns() {
  struct rusage self{};
  struct rusage children{};
  if (::getrusage(RUSAGE_SELF, &self) != 0 || ::getrusage(RUSAGE_CHILDREN, &children) != 0) {
    return Known<std::int64_t>::unknown("getrusage failed");
  }
  return Known<std::int64_t>::of(total_ns(self) + total_ns(children) + live_descendants_ns());
}

bool reset_peak_memory(const std::string& proc) {
  const FileDescriptor fd(::open((proc + "/self/clear_refs").c_str(), O_WRONLY | O_CLOEXEC));
  return fd.is_open() && ::write(fd.get(), "5", 1) == 1;
}

Known<std::uint64_t> peak_memory_bytes(const std::string& proc) {
  const Result<std::string> status = file::read(proc + "/self/status");
  if (!status) return Known<std::uint64_t>::unknown(status.error().text());
  constexpr std::string_view kKey = "VmHWM:";
  const std::size_t line = status->find(kKey);
  if (line == std::string::npos) return Known<std::uint64_t>::unknown("no VmHWM in " + proc + "/self/status");
  std::uint64_t kilobytes = 0;
  if (!(std::istringstream(status->substr(line + kKey.size())) >> kilobytes)) {
    return Known<std::uint64_t>::unknown("VmHWM in " + proc + "/self/status is not a number");
  }
  return Known<std::uint64_t>::of(kilobytes * 1024);
}

PhaseMeter::PhaseMeter(samples::Phase phase, samples::ProgressPage* page)
    : phase_(phase), peak_is_reset_(reset_peak_memory()), cpu_ns_(cpu_time_of_tree_ns()) {
  if (page != nullptr) page->phase.store(static_cast<std::int32_t>(phase), std::memory_order_relaxed);
  begin_ns_ = system_clock().now().count();
}

samples::PhaseUse PhaseMeter::end() const {
  samples::PhaseUse use;
  use.phase = phase_;
  use.wall_ns = system_clock().now().count() - begin_ns_;
  use.started_ns = begin_ns_;
  use.cpu_ns = cpu_time_of_tree_ns();
  if (use.cpu_ns.value && cpu_ns_.value) *use.cpu_ns.value -= *cpu_ns_.value;
  use.peak_rss_bytes =
      peak_is_reset_
          ? peak_memory_bytes()
          : Known<std::uint64_t>::unknown("the kernel does not allow /proc/self/clear_refs to reset the peak");
  return use;
}

samples::Reading inferences_in(samples::Phase phase, std::uint64_t count) {
  return {"inferences", "1", std::string(samples::name(phase)), Known<double>::of(static_cast<double>(count))};
}

Known<std::int64_t> page_faults() {
  struct rusage self{};
  if (::getrusage(RUSAGE_SELF, &self) != 0) return Known<std::int64_t>::unknown("getrusage failed");
  return Known<std::int64_t>::of(self.ru_minflt);
}

PageFaultMeter::PageFaultMeter() : count_(page_faults()), begin_ns_(system_clock().now().count()) {}

samples::Reading PageFaultMeter::reading(std::int64_t paused_ns, std::int64_t paused_faults) const {
  using Rate = Known<double>;
  const auto rate = [&] {
    const auto elapsed_s = static_cast<double>(system_clock().now().count() - begin_ns_ - paused_ns) * 1e-9;
    const Known<std::int64_t> count = page_faults();
    if (!count.value || !count_.value) return Rate::unknown(count.value ? count_.reason : count.reason);
    if (elapsed_s <= 0) return Rate::unknown("shorter than the clock resolves");
    return Rate::of(static_cast<double>(*count.value - *count_.value - paused_faults) / elapsed_s);
  };
  return {"page_faults", "1/s", "timed", rate()};
}

}  // namespace ngb::worker
