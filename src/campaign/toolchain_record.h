// SPDX-License-Identifier: Apache-2.0
// Records the toolchains of a run's devices with the results, and compares them over the fleet.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "campaign/study_compilers.h"
#include "store/store.h"
#include "toolchain/elsewhere.h"

namespace ngb::campaign {

class ToolchainRecord {
 public:
  using Say = std::function<void(const std::string& device, const std::string& remark)>;
  // All references must outlive this object. `say` is called for devices that have another build of a version, or
  // another version.
  ToolchainRecord(store::Store& store, const Compilers& compilers, Say say)
      : store_(store), compilers_(compilers), say_(std::move(say)) {}

  // Records the plan's toolchains that are installed on this machine.
  Status take_local(const std::string& device);
  // Records a toolchain of a device elsewhere, whose own name for its machine is `machine`. Returns the SHA-256 of the
  // recorded manifest.
  Result<std::string> take(const std::string& device, const std::string& machine, const samples::FoundFolder& found);

 private:
  Status record(const std::string& device, const std::string& machine, const toolchain::Toolchain& toolchain);

  store::Store& store_;
  const Compilers& compilers_;
  Say say_;
  toolchain::Builds builds_{};
  std::set<std::string> told_{};
};

}  // namespace ngb::campaign
