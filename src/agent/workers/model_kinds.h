// SPDX-License-Identifier: Apache-2.0
// Tells the Python of a toolchain which models it will meet, because importing what makes a model's module takes
// seconds.
#pragma once

#include <set>
#include <string>

#include "work/job.h"

namespace ngb::agent {

// Returns the kinds of the job's models and of the exact models of variants: a recipe's family, "file" for a user's
// ONNX file, "module" for a user's PyTorch module.
std::set<std::string> model_kinds(const work::Job& job);

}  // namespace ngb::agent
