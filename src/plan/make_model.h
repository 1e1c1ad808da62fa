// SPDX-License-Identifier: Apache-2.0
// Makes the plan's model from an entry of a study's models at one batch size.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/study.h"
#include "plan/plan.h"
#include "userfiles/input_values.h"
#include "work/model.h"

namespace ngb::plan {

// Finds the Python files of a user's model: the file that the study names, and the files beside it that it imports.
// Runs python_files.py once for each file, even if several models and batch sizes use the file.
class PythonFiles {
 public:
  // Returns `path`, then, sorted by name, every file and package beside it that an `import` statement names, in `path`
  // or in one of these files. A package gives all of its .py files. Imports by other means (importlib, exec) are not
  // found. Returns an error if there is no Python (base/python.h), if a file cannot be read, if a file is not Python
  // (except in a package, where it counts as a file without imports), or if there are more than 1,000 files or 64 MiB.
  Result<std::vector<work::UserFile>> of(const std::filesystem::path& path);

 private:
  std::map<std::filesystem::path, Result<std::vector<work::UserFile>>> found_;
};

// Hashes a file of the user's. What is made from it later is made from a copy that has this hash.
Result<work::UserFile> user_file(const std::string& name, const std::filesystem::path& path);

// Reads the model's files and computes its hash. `seed` is the seed of random weights. `python_files` is the same
// object for all models of a study; `onnx` advises on open dimensions. Returns an error if a recipe cannot be resolved,
// if a file cannot be read, or if an input, dimension or value does not fit the model.
Result<work::Model> make_model(const config::ModelEntry& entry, int batch, std::uint64_t seed,
                               PythonFiles& python_files, const OnnxPackage& onnx = {});

}  // namespace ngb::plan
