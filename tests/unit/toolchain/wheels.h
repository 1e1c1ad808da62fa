// SPDX-License-Identifier: Apache-2.0
// Small wheels that a test makes up, and a pip that is configured (as a user would: by PIP_…) to find only these.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "in_temporary_folder.h"
#include "toolchain/toolchain.h"

namespace ngb::toolchain {

struct Wheel {
  std::string name{};
  std::string version{};
  std::vector<std::string> requires_dist{};
  std::map<std::string, std::string> files{};  // path in site-packages -> content
};

class WithWheels : public InTemporaryFolder {
 protected:
  void SetUp() override;
  void TearDown() override;

  void make_wheel(const Wheel& wheel);
  [[nodiscard]] std::filesystem::path wheels() const { return folder() / "wheels"; }
  [[nodiscard]] std::filesystem::path root() const { return folder() / "toolchains"; }
  [[nodiscard]] std::vector<std::string> lines() const { return lines_; }
  Progress remember() {
    return [this](std::string_view line) { lines_.emplace_back(line); };
  }

 private:
  std::vector<std::string> lines_;
};

// A compiler whose package is "toy".
CompilerDescription toy();

}  // namespace ngb::toolchain
