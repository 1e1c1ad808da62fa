// SPDX-License-Identifier: Apache-2.0
// Selects a toolchain's packages before anything is downloaded: pip's resolver chooses once, and what is not needed on
// a machine without a GPU is left out.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "toolchain/wheels.h"

namespace ngb::toolchain {

struct Wish {
  std::vector<std::string> requirements{};
  bool with_dependencies = false;
  bool has_gpu = false;                         // an NVIDIA GPU
  std::vector<std::string> skip_without_gpu{};  // packages, in any spelling
  bool needs_hashes = false;                    // all of them, before anything is installed
};

// Selection is sorted by name.
struct Selection {
  std::vector<ChosenWheel> wheels{};    // to be installed
  std::vector<ChosenWheel> left_out{};  // pip chose them as well, but only a GPU needs them
  bool has_gpu = false;
};

// Works in `scratch`. Fails with pip's reason if the requirements cannot be met, and if a wheel has another hash than
// in versions.json (check_wheel).
Result<Selection> select(const Python& python, const Wish& wish, const std::filesystem::path& scratch);

// Compares the wheels' known hashes with those in versions.json.
Status check_wheels(const Python& python, const std::vector<ChosenWheel>& wheels);

// Returns what the selection weighs, and why: "48 packages, 2.53 GB to download, 4.4 GB on disk; 1.9 GB of the download
// are …".
std::string weight(const Selection& selection);

// Returns the bytes on disk while the wheels are installed, when both they and their files are there. Unknown sizes
// count as 0.
std::uint64_t bytes_needed(const std::vector<ChosenWheel>& wheels);

}  // namespace ngb::toolchain
