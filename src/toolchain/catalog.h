// SPDX-License-Identifier: Apache-2.0
// Which compilers this installation knows: one compiler.json each, beside its plugin. docs/plugin.md lists its keys.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
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
  std::string host{};                  // "native" | "python"
  std::string adaptor{};               // "module:Class" of a Python one
  std::filesystem::path folder{};      // <lib>/compilers/<name>
  std::filesystem::path plugin{};      // the .so of a native one
  std::vector<std::string> devices{};  // that it can compile for: "cpu", "cuda"; the first is the default
  bool needs_toolchain = true;
  std::string toolchain{};  // the compiler that it shares a toolchain with, whose keys below hold; else its own name
  bool produces_file = false;
  bool dynamic_batch = false;                   // compiles once for any batch where it is asked to
  std::string default_version{};                // from versions.json
  std::vector<std::string> requirements{};      // of pip; "{version}": the toolchain's, "{timm}", …: from versions.json
  bool with_dependencies = false;               // also install what the requirements require, and so on
  std::vector<std::string> skip_without_gpu{};  // packages left out of these on a machine without an NVIDIA GPU
  std::vector<std::string> distributions{};     // packages whose version is the compiler's; the first is the usual one
  std::vector<std::string> imports{};           // Python modules that must load from a toolchain; "a|b": one of them
  std::string install_advice{};                 // what to do when installing fails; "": what pip's own failure says
  std::uint64_t disk_bytes = 0;                 // roughly what installing takes; 0: not known
  std::vector<OptionDescription> options{};
};

// Reads <lib>/compilers/*/compiler.json, sorted by name. Error names the file and the key.
Result<std::vector<CompilerDescription>> read_catalog(const std::filesystem::path& lib_folder);

// The compiler of that name; Error names the nearest one, or all.
Result<CompilerDescription> find_compiler(const std::vector<CompilerDescription>& catalog, std::string_view name);

}  // namespace ngb::toolchain
