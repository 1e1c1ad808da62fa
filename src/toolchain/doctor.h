// SPDX-License-Identifier: Apache-2.0
// What an installation has and lacks, and what to type for each missing thing.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ngb::toolchain {

struct Check {
  enum class State { ok, warning, missing };
  std::string name{};  // "python", "toolchain openvino", …
  State state = State::ok;
  std::string found{};   // what is there, or what is wrong
  std::string advice{};  // what to do; empty when all is well
};

std::string_view name(Check::State state);  // "ok", "warning", "missing"

// Python, pip, room on the disk, the programs and plugins in <lib>, the toolchains in `root`.
std::vector<Check> examine(const std::filesystem::path& lib, const std::filesystem::path& root);

}  // namespace ngb::toolchain
