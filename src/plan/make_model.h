// SPDX-License-Identifier: Apache-2.0
// An entry of a study's models, at one batch size, as the plan knows it.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "config/study.h"
#include "plan/python_files.h"
#include "work/model.h"

namespace ngb::plan {

// `seed`: of weights that are made up. Error: a recipe that cannot be resolved; a file that cannot be read; an input,
// dimension or value that does not fit the model.
// `python_files`: the same one for all models of a study.
Result<work::Model> make_model(const config::ModelEntry& entry, int batch, std::uint64_t seed,
                               PythonFiles& python_files);

}  // namespace ngb::plan
