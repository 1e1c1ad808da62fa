// SPDX-License-Identifier: Apache-2.0
// Installs wheels with a few pips side by side: each downloads its share, unpacks it and makes bytecode of it, so that
// one computes while another waits for the network.
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "toolchain/toolchain.h"
#include "toolchain/wheels.h"

namespace ngb::toolchain {

// Distributes the wheels over at most `most` shares that take about as long as each other, and over fewer if a share
// would take less than starting pip. Pure. No share is empty.
std::vector<std::vector<ChosenWheel>> shares(std::vector<ChosenWheel> wheels, std::size_t most);

// Installs the wheels into folder/site, beside what is there, and works in `folder`. Returns them with the hashes that
// pip reports, sorted by name. Fails with the first share's error, after all have ended. `progress` is called from
// several threads, one at a time.
Result<std::vector<ChosenWheel>> install_side_by_side(const Python& python, const std::filesystem::path& folder,
                                                      const std::vector<ChosenWheel>& wheels, const Progress& progress);

}  // namespace ngb::toolchain
