// SPDX-License-Identifier: Apache-2.0
// Makes the files of a bundle that describe the others. They depend only on what the author says and on the names of
// the other files.
#pragma once

#include <string>
#include <vector>

#include "bundle/manifest.h"

namespace ngb::bundle {

struct Description {
  std::string path{};
  std::string text{};
};

// Returns LICENCE and README.md for a folder that holds the files `paths`, which these two may be among.
std::vector<Description> descriptions(const About& about, const std::vector<std::string>& paths);

}  // namespace ngb::bundle
