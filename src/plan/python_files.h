// SPDX-License-Identifier: Apache-2.0
// The Python files that a user's model is made of: the one that the study names, and what it imports from beside it.
#pragma once

#include <filesystem>
#include <map>
#include <vector>

#include "base/result.h"
#include "userfiles/input_values.h"

namespace ngb::plan {

// Finds each file's imports once, by python_files.py, however many models and batch sizes name it.
class PythonFiles {
 public:
  // `path` first; then, sorted by name, every file and package beside it that an `import` statement names, in it or in
  // one of these. Of a package: all of its .py files. What is imported in another way (importlib, exec) is not seen.
  // Error: there is no Python (base/python.h); a file cannot be read, or is no Python (of a package's files these name
  // nothing); there are more than 1,000 files or 64 MiB of them.
  Result<std::vector<work::UserFile>> of(const std::filesystem::path& path);

 private:
  std::map<std::filesystem::path, Result<std::vector<work::UserFile>>> found_;
};

}  // namespace ngb::plan
