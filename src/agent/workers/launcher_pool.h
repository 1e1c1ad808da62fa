// SPDX-License-Identifier: Apache-2.0
// The launchers of an agent: one for all native compilers, and one fork server for each toolchain whose Python hosts
// the compiler.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "agent/workers/launcher.h"
#include "work/compiler.h"

namespace ngb::agent {

class LauncherPool {
 public:
  LauncherPool(const Surroundings& surroundings, Children& children)
      : surroundings_(surroundings), children_(children) {}

  // Returns a launcher of the compiler that is not among `taken`, as each has one worker at a time. It is created at
  // the first call and lives as long as the pool.
  Launcher& of(const work::Place& place, const std::set<const Launcher*>& taken = {});
  // Returns the own processes of all launchers.
  [[nodiscard]] std::set<pid_t> own_processes() const;
  // Calls `advance` of all launchers except the busy ones, because idle servers send packets too.
  void advance_idle(const std::set<const Launcher*>& busy);

 private:
  const Surroundings& surroundings_;
  Children& children_;
  std::map<std::pair<std::string, int>, std::unique_ptr<Launcher>> launchers_{};  // several of what takes turns
};

}  // namespace ngb::agent
