// SPDX-License-Identifier: Apache-2.0
// Reports what an installation has and lacks, and what to type for each missing thing.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ngb::toolchain {

struct Check {
  enum class State {
    ok,
    warning,
    absent,  // not installed, which is a choice
    missing  // something cannot work without it
  };
  std::string name{};  // "python", "toolchain openvino", …
  State state = State::ok;
  std::string found{};   // what exists, or what is wrong
  std::string advice{};  // what to do; empty if all is well
};

std::string_view name(Check::State state);  // Returns "ok", "warning", "absent" or "missing".

// Checks Python, pip, free disk space, the programs and plugins in <lib>, and the toolchains in `root`. A toolchain
// that is not installed is absent; without any, each that can be used here is missing.
std::vector<Check> examine(const std::filesystem::path& lib, const std::filesystem::path& root);

}  // namespace ngb::toolchain
