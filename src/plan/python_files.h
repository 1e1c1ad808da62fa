// SPDX-License-Identifier: Apache-2.0
// The Python files that a user's model is made of: the one that the study names, and what it imports from beside it.
#pragma once

#include <filesystem>
#include <vector>

#include "base/input_values.h"
#include "base/result.h"

namespace ngb::plan {

// `path` first; then, sorted by name, every file and package beside it that an `import` statement names, in it or in
// one of these. Of a package: all of its .py files. What is imported in another way (importlib, exec) is not seen.
// Error: a file that cannot be read; more than 1,000 files or 64 MiB of them.
Result<std::vector<UserFile>> python_files(const std::filesystem::path& path);

}  // namespace ngb::plan
