// SPDX-License-Identifier: Apache-2.0
// Control groups (version 2), if this user may create them. The processes of a worker are in a group of their own,
// which has the memory limit and is killed as a whole. Processes are also found and ended through /proc (children.h) in
// any case; a group is faster.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"

namespace ngb::agent {

// A group for the processes of one worker. The destructor kills what still lives in it and removes it.
class ControlGroup {
 public:
  explicit ControlGroup(std::filesystem::path folder) : folder_(std::move(folder)) {}
  ControlGroup(ControlGroup&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}
  ControlGroup& operator=(ControlGroup&& other) noexcept {
    std::swap(folder_, other.folder_);
    return *this;
  }
  ControlGroup(const ControlGroup&) = delete;
  ControlGroup& operator=(const ControlGroup&) = delete;
  ~ControlGroup();

  // Moves a process with all its threads into the group. Processes that it starts afterwards are in the group too, so
  // call this before it starts any.
  bool add(pid_t pid) const;
  // Sends SIGKILL to everything in the group at once. Does not wait.
  void kill() const;
  // Returns whether the kernel has killed a process of the group because of the memory limit.
  [[nodiscard]] bool has_run_out_of_memory() const;
  // Returns whether the kernel counts such kills for the group.
  [[nodiscard]] bool counts_memory_kills() const;

 private:
  std::filesystem::path folder_;
};

class ControlGroups {
 public:
  // Finds out whether groups can be created below this process's own group, and removes empty ones that killed agents
  // have left there. If only the memory controller is unavailable, groups have no memory limit.
  static ControlGroups find();
  // Does the same below `own`. For tests.
  static ControlGroups below(const std::filesystem::path& own);

  // Creates a group; returns nothing if that is impossible.
  [[nodiscard]] std::optional<ControlGroup> make(std::uint64_t memory_limit_bytes) const;
  // Returns what is used ("cgroup.kill and memory.max" or "cgroup.kill"), or why there are no groups.
  [[nodiscard]] const Known<std::string>& description() const { return description_; }

 private:
  std::filesystem::path own_{};
  bool has_memory_ = false;
  Known<std::string> description_ = Known<std::string>::unknown("not checked");
};

}  // namespace ngb::agent
