// SPDX-License-Identifier: Apache-2.0
// Finds the toolchains of a study's compilers.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "campaign/installation.h"
#include "dispatch/fleet.h"
#include "plan/plan.h"
#include "store/store.h"
#include "toolchain/elsewhere.h"
#include "toolchain/toolchain.h"
#include "work/job.h"

namespace ngb::campaign {

class Compilers {
 public:
  // Looks up every (compiler, version) that the plan needs, its reference included.
  static Result<Compilers> find(const Installation& installation, const plan::Plan& plan);

  // Returns where the toolchain is on this machine. The folders of a missing one are empty; its cells fail with that
  // reason.
  [[nodiscard]] Result<work::Place> place_here(const std::string& name, const std::string& version) const;

  // Returns where the toolchain is on a device elsewhere, as paths relative to the device's folder.
  [[nodiscard]] Result<work::Place> place_elsewhere(const std::string& name, const std::string& version) const;
  // Returns the toolchains that a device elsewhere needs.
  [[nodiscard]] std::vector<dispatch::ToolchainTree> trees(const Installation& installation) const;

  // Returns null if the plan has no such compiler.
  [[nodiscard]] const toolchain::CompilerDescription* description(const std::string& name,
                                                                  const std::string& version) const;

  // A compiler of the plan whose toolchain is not installed or is damaged.
  struct Missing {
    toolchain::CompilerDescription compiler{};
    std::string version{};
    std::string damage{};  // what is wrong, and what to type; "" if it is not installed
    // Returns "onnxruntime@1.31.1".
    [[nodiscard]] std::string name() const { return compiler.name + "@" + version; }
  };
  [[nodiscard]] const std::vector<Missing>& missing() const { return missing_; }
  [[nodiscard]] bool is_missing(const std::string& name, const std::string& version) const;
  [[nodiscard]] std::vector<toolchain::Toolchain> installed() const;

 private:
  struct Entry {
    toolchain::CompilerDescription description{};
    std::optional<toolchain::Toolchain> toolchain{};
    std::string damage{};  // why its folder cannot be used; "" if there is none
  };
  std::map<std::pair<std::string, std::string>, Entry> entries_;
  std::pair<std::string, std::string> reference_;
  std::set<std::pair<std::string, std::string>> measured_;  // used by a cell
  std::set<std::pair<std::string, std::string>> needed_;    // those, the reference and the exporter
  std::vector<Missing> missing_;
};

// Records the toolchains of a run's devices with the results, and compares them over the fleet.
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
