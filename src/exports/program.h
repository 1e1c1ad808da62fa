// SPDX-License-Identifier: Apache-2.0
// Has a compiler write the program of a cell: run.py, which needs the compiler's own library only.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "campaign/installation.h"
#include "exports/subject.h"

namespace ngb::exports {

// The file of a compiler's folder that writes its programs (python/ngraphbench/program.py).
inline constexpr const char* kProgramFile = "take_home.py";

// A command of Python, with the folders of packages that it imports.
struct PythonCommand {
  std::vector<std::string> interpreter{};
  std::string path{};                               // PYTHONPATH
  std::vector<toolchain::Toolchain> packages_of{};  // in the order of the path
};

// Returns the Python in which the subject's program runs: that of its toolchain and, where that converts modules of
// PyTorch or has no NumPy, of another one that has these. Returns an error if none has.
Result<PythonCommand> python_of(const campaign::Installation& installation, const Subject& subject);

// Returns the inputs that a PyTorch module reports, for its batch size. Precondition: the compiler runs modules itself.
Result<std::vector<TensorSignature>> inputs_of_module(const campaign::Installation& installation,
                                                      const Subject& subject);

// Has the compiler write the program and, if it needs one, the file that it compiles, into the folder. `question` has
// the keys of program.py that say what the cell was measured with. Returns the compiler's answer.
Result<nlohmann::json> write_program(const campaign::Installation& installation, const Subject& subject,
                                     nlohmann::json question);

}  // namespace ngb::exports
