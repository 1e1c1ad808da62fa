// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "apps/ngb/command.h"

namespace ngb::app {

// ngb plan --try: runs each cell of a study on this machine once, with one process and without timing, and prints what
// runs, what is left out of the comparison, and what fails and why. `file` is a study, or an ONNX file, which is tried
// at batch size 1 with those compilers of the quickstart that are installed. Returns an exit code.
int try_models(const Installation& installation, const std::filesystem::path& file);

}  // namespace ngb::app
