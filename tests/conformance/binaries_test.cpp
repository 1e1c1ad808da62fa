// SPDX-License-Identifier: Apache-2.0
// What runs on a device needs no newer C library than glibc 2.34 and no C++ library at all.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "base/process.h"
#include "compiler_under_test.h"

namespace ngb::conformance {
namespace {

std::vector<std::filesystem::path> libraries_below(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> libraries;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".so") libraries.push_back(entry.path());
  }
  return libraries;
}

// For this kind of machine, and for those others that this installation delivers to.
std::vector<std::filesystem::path> device_binaries() {
  std::vector<std::filesystem::path> binaries = libraries_below(lib_folder());
  binaries.push_back(worker_program());
  std::error_code code;  // none: only this kind
  for (const auto& kind :
       std::filesystem::directory_iterator(lib_folder().parent_path() / "ngraphbench-devices", code)) {
    const std::vector<std::filesystem::path> others = libraries_below(kind.path() / "lib/ngraphbench");
    binaries.insert(binaries.end(), others.begin(), others.end());
    binaries.push_back(kind.path() / "bin/ngb-worker");
  }
  return binaries;
}

std::string output_of(const std::vector<std::string>& command) {
  const Result<process::Outcome> outcome = process::run({.arguments = command});
  EXPECT_TRUE(outcome && outcome->succeeded()) << command[0];
  return outcome ? outcome->output : "";
}

}  // namespace

TEST(DeviceBinaries, NeedNothingNewerThanGlibc2_34) {
  const std::regex version(R"(GLIBC_2\.(\d+))");
  for (const auto& path : device_binaries()) {
    const std::string symbols = output_of({"objdump", "-T", path.string()});
    for (std::sregex_iterator match(symbols.begin(), symbols.end(), version), end; match != end; ++match) {
      EXPECT_LE(std::stoi((*match)[1]), 34) << path << " needs " << match->str();
    }
  }
}

TEST(DeviceBinaries, BringTheirOwnCppRuntime) {
  for (const auto& path : device_binaries()) {
    const std::string needed = output_of({"objdump", "-p", path.string()});
    EXPECT_EQ(needed.find("libstdc++"), std::string::npos) << path;
  }
}

}  // namespace ngb::conformance
