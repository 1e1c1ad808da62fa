// SPDX-License-Identifier: Apache-2.0
// Checks the values that a study gives for a model's inputs, some of them in NumPy files.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/tensor.h"
#include "userfiles/numpy_file.h"
#include "work/model.h"

namespace ngb::userfiles {

// Returns the array that `values` names in the file at `path`. If the input's first extent is `batch`, the array's
// first rows are used. Fails as find_array does, if type or shape differ, or if there are fewer rows than `batch`.
Result<Array> fitting_array(const work::InputValues& values, const std::string& path, const TensorSignature& input,
                            int batch);

// Returns how many batches of the input the array holds: 1 if its rows are not samples. Fails as fitting_array does.
Result<std::uint64_t> batches_in(const work::InputValues& values, const std::string& path, const TensorSignature& input,
                                 int batch);

// Fails if an end of the range is not a value of the input's type.
Status check_range(const work::InputValues& values, const TensorSignature& input);

}  // namespace ngb::userfiles
