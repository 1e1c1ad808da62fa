// SPDX-License-Identifier: Apache-2.0
// Which toolchain a study's compilers run from, on this machine.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apps/ngb/command.h"
#include "dispatch/fleet.h"
#include "plan/plan.h"
#include "toolchain/toolchain.h"
#include "work/job.h"

namespace ngb::app {

class Compilers {
 public:
  // Looks up every (compiler, version) that the plan needs, its reference included.
  static Result<Compilers> find(const Installation& installation, const plan::Plan& plan);

  // Where it is here. A missing toolchain has empty folders: the cell then fails with that as its stored reason.
  [[nodiscard]] Result<work::Place> place_here(const std::string& name, const std::string& version) const;

  // The same on a device elsewhere, whose toolchains stand as here in a folder of its own: paths within the device's
  // folder.
  [[nodiscard]] Result<work::Place> place_elsewhere(const std::string& name, const std::string& version) const;
  // What such a device needs; it may be given this machine's where that is installed and not adopted.
  [[nodiscard]] std::vector<dispatch::ToolchainTree> trees(const Installation& installation) const;

  // Null: not a compiler of the plan.
  [[nodiscard]] const toolchain::CompilerDescription* description(const std::string& name,
                                                                  const std::string& version) const;

  // A compiler of the plan whose toolchain is not there, or is damaged.
  struct Missing {
    std::string name{};    // "onnxruntime@1.31.1"
    std::string damage{};  // what is wrong, and what to type; "": it is not there
  };
  [[nodiscard]] const std::vector<Missing>& missing() const { return missing_; }
  [[nodiscard]] bool is_missing(const std::string& name, const std::string& version) const;
  [[nodiscard]] std::vector<toolchain::Toolchain> installed() const;

 private:
  struct Entry {
    toolchain::CompilerDescription description{};
    std::optional<toolchain::Toolchain> toolchain{};
    std::string damage{};  // why there is none although its folder is there, or another one stands in its place
  };
  std::map<std::pair<std::string, std::string>, Entry> entries_;
  std::pair<std::string, std::string> reference_;
  std::set<std::pair<std::string, std::string>> measured_;  // by some cell; the reference need not be
  std::vector<Missing> missing_;
};

}  // namespace ngb::app
