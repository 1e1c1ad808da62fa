// SPDX-License-Identifier: Apache-2.0
// Selects a toolchain's packages before anything is downloaded: pip's resolver chooses once, and what is not needed on
// a machine without a GPU is left out.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "toolchain/toolchain.h"
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

// Installs wheels with a few pips side by side: each downloads its share, unpacks it and makes bytecode of it, so that
// one computes while another waits for the network.

// Distributes the wheels over at most `most` shares that take about as long as each other, and over fewer if a share
// would take less than starting pip. Pure. No share is empty.
std::vector<std::vector<ChosenWheel>> shares(std::vector<ChosenWheel> wheels, std::size_t most);

// Installs the wheels into folder/site, beside what is there, and works in `folder`. Returns them with the hashes that
// pip reports, sorted by name. Fails with the first share's error, after all have ended. `progress` is called from
// several threads, one at a time.
Result<std::vector<ChosenWheel>> install_side_by_side(const Python& python, const std::filesystem::path& folder,
                                                      const std::vector<ChosenWheel>& wheels, const Progress& progress);

}  // namespace ngb::toolchain
