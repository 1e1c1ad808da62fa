// SPDX-License-Identifier: Apache-2.0
// Copies packages that another toolchain has: numpy, onnx and jax are in many. A copy takes a fraction of the time of
// downloading, unpacking and compiling.
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "toolchain/selection.h"
#include "toolchain/toolchain.h"

namespace ngb::toolchain {

struct Loan {
  Toolchain from{};
  std::vector<ChosenWheel> wheels{};  // of which `from` has installed the same files
};

// Returns which wheels could be copied, and from where; each wheel once. A package counts as the same if its wheel has
// the same hash and was installed by the same Python. Adopted toolchains lend nothing. Pure.
std::vector<Loan> loans(const std::vector<Toolchain>& toolchains, const Python& python,
                        const std::vector<ChosenWheel>& wheels);

// Copies into `site` what the toolchains of `root` can lend, makes its bytecode, and returns the copied wheels. Copies
// no package of which a file is missing or differs from its hash in the package's RECORD, or that cannot be read: pip
// installs it. Copies nothing for devices of another kind.
std::vector<ChosenWheel> copy_installed(const Python& python, const std::filesystem::path& root,
                                        const std::filesystem::path& site, const std::vector<ChosenWheel>& wheels,
                                        const Progress& progress);

}  // namespace ngb::toolchain
