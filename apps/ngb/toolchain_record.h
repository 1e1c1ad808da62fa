// SPDX-License-Identifier: Apache-2.0
// Which toolchains a run's devices have: recorded with the results, and compared over the fleet.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "apps/ngb/study_compilers.h"
#include "store/store.h"
#include "toolchain/elsewhere.h"

namespace ngb::app {

class ToolchainRecord {
 public:
  using Say = std::function<void(const std::string& device, const std::string& remark)>;
  // All references outlive it. `say`: told of devices on which one version is not one build, or is another version.
  ToolchainRecord(store::Store& store, const Compilers& compilers, Say say)
      : store_(store), compilers_(compilers), say_(std::move(say)) {}

  // Those of the plan that are installed on this machine.
  Status take_local(const std::string& device);
  // One that a device elsewhere has. `machine`: as it calls itself.
  Status take(const std::string& device, const std::string& machine, const samples::FoundFolder& found);

 private:
  Status record(const std::string& device, const std::string& machine, const toolchain::Toolchain& toolchain,
                const std::string& manifest);

  store::Store& store_;
  const Compilers& compilers_;
  Say say_;
  toolchain::Builds builds_{};
  std::set<std::string> told_{};
};

}  // namespace ngb::app
