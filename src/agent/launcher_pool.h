// SPDX-License-Identifier: Apache-2.0
// The launchers of an agent: one for every native compiler together, one fork server for each Python-hosted toolchain.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "agent/launcher.h"
#include "samples/job.h"

namespace ngb::agent {

class LauncherPool {
 public:
  LauncherPool(const Surroundings& surroundings, Children& children)
      : surroundings_(surroundings), children_(children) {}

  // Made when first asked for; lives as long as the pool.
  Launcher& of(const samples::CompilerWork& compiler);
  // Of all of them: what outlives a worker.
  [[nodiscard]] std::set<pid_t> own_processes() const;
  // Those that no worker is starting on right now: what their servers say is to be taken up, too.
  void advance_idle(const Launcher* busy);

 private:
  const Surroundings& surroundings_;
  Children& children_;
  std::map<std::string, std::unique_ptr<Launcher>> launchers_{};
};

}  // namespace ngb::agent
