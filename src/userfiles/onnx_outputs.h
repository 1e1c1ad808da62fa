// SPDX-License-Identifier: Apache-2.0
// Finds out what a check of an ONNX file's outputs must know: the file's arithmetic and the shapes that it declares.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/tensor.h"

namespace ngb::userfiles {

struct OnnxOutputs {
  // The coarsest arithmetic in the file: "int8" if a node quantises, "bf16" or "f16" if a weight, input or output has
  // that type, else "".
  std::string arithmetic{};
  std::vector<TensorSignature> declared{};  // outputs with a declared shape; kOpenExtent where an extent is open
};

// Fails as scan_onnx does.
Result<OnnxOutputs> inspect_outputs(const std::filesystem::path& path);

}  // namespace ngb::userfiles
