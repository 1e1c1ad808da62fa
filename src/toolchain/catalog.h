// SPDX-License-Identifier: Apache-2.0
// Which compilers this installation knows: one compiler.json each, beside its plugin.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace ngb::toolchain {

struct OptionDescription {
  std::string name{};
  std::string type{};                 // "bool" | "int" | "float" | "string"
  std::vector<std::string> values{};  // allowed words of a string
  std::string default_value{};
  std::string meaning{};
};

struct CompilerDescription {
  std::string name{};
  std::string summary{};
  std::string host{};              // "native" | "python"
  std::filesystem::path folder{};  // <lib>/compilers/<name>
  std::filesystem::path plugin{};  // the .so of a native one
  bool needs_toolchain = true;
  std::string default_version{};            // from versions.json
  std::vector<std::string> requirements{};  // pip requirements, "{version}" stands for the toolchain's version
  std::vector<OptionDescription> options{};
};

// Reads <lib>/compilers/*/compiler.json, sorted by name. Error names the file and the key.
Result<std::vector<CompilerDescription>> read_catalog(const std::filesystem::path& lib_folder);

}  // namespace ngb::toolchain
