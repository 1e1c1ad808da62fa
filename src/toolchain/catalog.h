// SPDX-License-Identifier: Apache-2.0
// Reads the compilers of this installation: one compiler.json each, beside its plugin (keys: docs/plugin.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "work/compiler.h"
#include "work/quantiser.h"
#include "work/usual_times.h"

namespace ngb::toolchain {

struct OptionDescription {
  std::string name{};
  std::string type{};                 // "bool" | "int" | "float" | "string"
  std::vector<std::string> values{};  // allowed words of a string
  std::string minimum{};              // of a number; "" for none
  std::string maximum{};
  std::string default_value{};  // as a person writes it: a word has no quotation marks
  std::string meaning{};
};

// A setting of the library that studies may not hand on.
struct ReservedSetting {
  std::string name{};
  std::string owner{};
};

// The properties of a compiler's own library that studies may hand on.
struct SettingsDescription {
  std::string meaning{};  // "" if the compiler hands none on
  std::vector<ReservedSetting> reserved{};
};

// Says when the compiler judges the outputs of others because the study's reference cannot.
struct Judging {
  int place = 0;  // 1 is asked first; 0: never
  work::Options options{};
};

struct CompilerDescription {
  std::string name{};
  std::string summary{};
  std::string host{};                     // "native" | "python"
  std::string adaptor{};                  // "module:Class" of a Python compiler
  std::filesystem::path folder{};         // <lib>/compilers/<name>
  std::filesystem::path plugin{};         // the .so of a native compiler
  std::vector<std::string> devices{};     // for which it compiles: "cpu", "cuda"; the first is the default
  std::vector<std::string> precisions{};  // in which it runs
  bool needs_toolchain = true;
  std::string toolchain{};  // the compiler that owns its toolchain and the keys below; by default itself
  bool produces_file = false;
  bool keeps_file = false;     // runs what it compiles, and can also write it for other processes
  bool dynamic_batch = false;  // can compile once for any batch size
  bool in_flight = false;      // can have several inferences in flight
  // Compiled files that it runs as they are: the ending, and that of the file beside it with its weights, or "". Its
  // compiled_file.py says their inputs.
  std::map<std::string, std::string> compiled_files{};
  work::Quantiser quantiser{};                  // its quantise.py runs the tool
  std::string quantised_operators{};            // what becomes of those of an ONNX file: "runs", "emulates", "refuses"
  std::string runs_modules{};                   // when it runs PyTorch modules without their ONNX file: "always",
                                                // "OPTION=VALUE", or "" for never
  std::string default_version{};                // from versions.json
  std::vector<std::string> requirements{};      // for pip; "{version}": the toolchain's; "{timm}", …: in versions.json
  bool with_dependencies = false;               // also install what the requirements require, recursively
  std::vector<std::string> skip_without_gpu{};  // packages that are not installed on a machine without an NVIDIA GPU
  std::vector<std::string> distributions{};     // packages whose version is the compiler's; the first is the usual one
  std::vector<std::string> imports{};           // Python modules that must load from a toolchain; "a|b": one of them
  std::string install_advice{};                 // what to do if installing fails; "": pip's own error says it
  std::uint64_t disk_bytes = 0;                 // roughly the size of an installation; 0: unknown
  std::vector<OptionDescription> options{};
  SettingsDescription settings{};
  Judging judges{};
  work::UsualTimes usual_times{};
  std::optional<work::UsualTimes> usual_times_tuned{};  // if its option trials is above 0; nothing: the same

  [[nodiscard]] bool is_for_gpus() const {
    return std::none_of(devices.begin(), devices.end(), [](const auto& device) { return device != "cuda"; });
  }
};

// Reads <lib>/compilers/*/compiler.json, sorted by name. An error names the file and the key.
Result<std::vector<CompilerDescription>> read_catalog(const std::filesystem::path& lib_folder);

// Returns the normalised name of the package whose version is the toolchain's: that of the first requirement with
// "{version}"; "" if there is none.
std::string versioned_package(const std::vector<std::string>& requirements);

// Returns the compiler of that name. The error suggests the nearest one, or lists all.
Result<CompilerDescription> find_compiler(const std::vector<CompilerDescription>& catalog, std::string_view name);

}  // namespace ngb::toolchain
