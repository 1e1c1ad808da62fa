// SPDX-License-Identifier: Apache-2.0
#include "agent/workers/control_group.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "probe/cgroup.h"

namespace ngb::agent {
namespace {

constexpr const char* kGroupPrefix = "ngb-";

// Writes to a control file in one call. Returns false, with errno, if the kernel refuses.
bool write_control(const std::filesystem::path& control, std::string_view words) {
  const FileDescriptor fd(::open(control.c_str(), O_WRONLY | O_CLOEXEC));
  return fd.is_open() && ::write(fd.get(), words.data(), words.size()) == static_cast<ssize_t>(words.size());
}

bool has_word(const std::filesystem::path& control, std::string_view word) {
  const std::string text = file::read(control, 65536).value_or("");
  for (const std::string& each : text::split(text::trim(text), ' ')) {
    if (each == word) return true;
  }
  return false;
}

std::filesystem::path next_folder(const std::filesystem::path& own) {
  static std::atomic<std::uint64_t> count{0};
  return own / fmt::format("{}{}-{}", kGroupPrefix, ::getpid(), ++count);
}

// Removes the groups of killed agents. A group that contains processes cannot be removed.
void remove_empty_groups(const std::filesystem::path& own) {
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(own, code)) {
    if (entry.path().filename().string().starts_with(kGroupPrefix)) ::rmdir(entry.path().c_str());
  }
}

// Enables the memory controller for groups below `own`. Returns false if `own` contains processes and is not the root
// group, because the kernel then refuses.
bool hand_on_memory(const std::filesystem::path& own) {
  const std::filesystem::path handed_on = own / "cgroup.subtree_control";
  if (has_word(handed_on, "memory")) return true;
  return has_word(own / "cgroup.controllers", "memory") && write_control(handed_on, "+memory");
}

}  // namespace

ControlGroup::~ControlGroup() {
  if (folder_.empty()) return;
  kill();
  // Killed processes leave the group a moment later. The kernel reports that (POLLPRI) to a process that has read the
  // file before.
  const FileDescriptor events(::open((folder_ / "cgroup.events").c_str(), O_RDONLY | O_CLOEXEC));
  const Nanoseconds give_up = system_clock().now() + std::chrono::milliseconds(100);
  for (char content[256]; ::pread(events.get(), content, sizeof content, 0) > 0;) {
    if (::rmdir(folder_.c_str()) == 0 || errno != EBUSY) break;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(give_up - system_clock().now()).count();
    pollfd change{events.get(), POLLPRI, 0};
    if (left <= 0 || ::poll(&change, 1, static_cast<int>(left)) <= 0) break;
  }
}

bool ControlGroup::add(pid_t pid) const { return write_control(folder_ / "cgroup.procs", std::to_string(pid)); }

void ControlGroup::kill() const { write_control(folder_ / "cgroup.kill", "1"); }

bool ControlGroup::has_run_out_of_memory() const {
  const std::string events = file::read(folder_ / "memory.events", 65536).value_or("");
  for (const std::string& line : text::split(events, '\n')) {
    constexpr std::string_view kKey = "oom_kill ";
    if (line.starts_with(kKey)) return line.substr(kKey.size()) != "0";
  }
  return false;
}

bool ControlGroup::counts_memory_kills() const {
  std::error_code code;
  return std::filesystem::exists(folder_ / "memory.events", code);
}

ControlGroups ControlGroups::find() {
  const std::optional<std::string> own = probe::own_cgroup2_folder(probe::Tree(""));
  if (own) return below(*own);
  ControlGroups none;
  none.description_ = Known<std::string>::unknown("control groups of version 2 are not mounted");
  return none;
}

ControlGroups ControlGroups::below(const std::filesystem::path& own) {
  ControlGroups groups;
  remove_empty_groups(own);
  const std::filesystem::path tried = next_folder(own);
  if (::mkdir(tried.c_str(), 0700) != 0) {
    groups.description_ = Known<std::string>::unknown(
        fmt::format("{}: cannot create a group: {}", own.string(), std::generic_category().message(errno)));
    return groups;
  }
  const ControlGroup trial(tried);
  if (::access((tried / "cgroup.kill").c_str(), W_OK) != 0) {
    groups.description_ = Known<std::string>::unknown("this kernel has no cgroup.kill (Linux 5.14)");
    return groups;
  }
  groups.own_ = own;
  groups.has_memory_ = hand_on_memory(own);
  groups.description_ = Known<std::string>::of(groups.has_memory_ ? "cgroup.kill and memory.max" : "cgroup.kill");
  return groups;
}

std::optional<ControlGroup> ControlGroups::make(std::uint64_t memory_limit_bytes) const {
  if (own_.empty()) return std::nullopt;
  const std::filesystem::path folder = next_folder(own_);
  if (::mkdir(folder.c_str(), 0700) != 0) return std::nullopt;
  if (has_memory_) write_control(folder / "memory.max", std::to_string(memory_limit_bytes));
  return ControlGroup(folder);
}

}  // namespace ngb::agent
