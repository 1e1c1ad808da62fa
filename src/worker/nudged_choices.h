// SPDX-License-Identifier: Apache-2.0
// Makes a model in which ties are broken in another way, to see which of its outputs depend on that.
//
// TopK, ArgMax, ArgMin and NonMaxSuppression choose by the order of values. Where two of the values are equal but for
// rounding, right compilers choose differently. A detector with random weights gives all boxes the same score, whatever
// its inputs are.
#pragma once

#include <filesystem>

#include "base/result.h"

namespace ngb::worker {

// Writes a copy of the ONNX file `model` to `path`. In it, the values by which operators choose (of f32 and f64, also
// in subgraphs) are multiplied by 1 + 2^-17·(1 + sin i), where i is an element's index. So two values may change their
// order if they differ by less than 2^-16 of their size, and keep it otherwise.
// Returns false, and writes nothing, if no operator chooses, or if the file's opset is older than 11. External data are
// not copied. Fails if a file cannot be read or written, or if `model` is not an ONNX file.
Result<bool> write_with_nudged_choices(const std::filesystem::path& model, const std::filesystem::path& path);

}  // namespace ngb::worker
