// SPDX-License-Identifier: Apache-2.0
// Makes the plan's model from an entry of a study's models at one batch size.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "config/study.h"
#include "plan/plan.h"
#include "plan/python_files.h"
#include "work/model.h"

namespace ngb::plan {

// Reads the model's files and computes its hash. `seed` is the seed of random weights. `python_files` is the same
// object for all models of a study; `onnx` advises on open dimensions. Returns an error if a recipe cannot be resolved,
// if a file cannot be read, or if an input, dimension or value does not fit the model.
Result<work::Model> make_model(const config::ModelEntry& entry, int batch, std::uint64_t seed,
                               PythonFiles& python_files, const OnnxPackage& onnx = {});

}  // namespace ngb::plan
