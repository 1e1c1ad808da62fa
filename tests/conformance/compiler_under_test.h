// SPDX-License-Identifier: Apache-2.0
// Every compiler of this build in every version that versions.json calls tested.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "work/job.h"

namespace ngb::conformance {

struct CompilerUnderTest {
  std::string name{};
  std::string version{};                                // "" for a compiler without a toolchain
  std::shared_ptr<const nlohmann::json> description{};  // shared, because every case of every suite has a copy of this
  std::filesystem::path folder{};                       // lib/ngraphbench/compilers/<name>
  std::filesystem::path toolchain{};                    // its site-packages folder; empty for none

  // The compiler whose toolchain it shares, or its own name.
  [[nodiscard]] std::string toolchain_name() const;
  [[nodiscard]] bool is_native() const { return description->at("host") == "native"; }
  // Those that write a file take seconds for the smallest model: what is done often with others is done less.
  [[nodiscard]] bool produces_file() const {
    return description->value("produces_file", false) || description->value("keeps_file", false);
  }
  [[nodiscard]] bool compiles_slowly() const { return description->value("produces_file", false) && name != "null"; }
  [[nodiscard]] std::filesystem::path plugin() const { return folder / (name + ".so"); }
  // Why it cannot be tested here; empty when it can.
  [[nodiscard]] std::string missing() const;
  [[nodiscard]] work::Place place() const;
  // The identity's packages, for a compiler that converts its modules; else empty.
  [[nodiscard]] std::filesystem::path module_site() const;
};

std::vector<CompilerUnderTest> compilers_under_test();
// Those that can be called in this process.
std::vector<CompilerUnderTest> native_compilers_under_test();

// "onnxruntime_1_31_1", for test names.
std::string test_name(const CompilerUnderTest& compiler);
std::ostream& operator<<(std::ostream& stream, const CompilerUnderTest& compiler);

std::filesystem::path worker_program();
std::filesystem::path lib_folder();

}  // namespace ngb::conformance
