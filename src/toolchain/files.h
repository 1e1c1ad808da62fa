// SPDX-License-Identifier: Apache-2.0
// Compares the files of an installed toolchain with those that were installed. An adopted one is not compared.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "toolchain/toolchain.h"

namespace ngb::toolchain {

// Enters into `toolchain.changed`, and so into its hash, the files that are not as they were listed when it was
// installed. Reads only those whose size or time differs. Returns an error if files, or a whole package, are gone.
Status look_at_files(Toolchain& toolchain);

// Lists the files as they are now, if they are not listed: an earlier ngb listed none. A folder that cannot be written
// is left without.
void list_files_once(const Toolchain& toolchain);

// Returns what to tell of a toolchain that has changed files: that it counts as another build, and what mends it.
Error changed_since(const Toolchain& toolchain);

// Returns the first paths, and how many more there are: "site/a.py, site/b.py, site/c.py and 4 more".
std::string words_for(const std::vector<std::string>& paths);

}  // namespace ngb::toolchain
