// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ngb::onnxruntime {

// Opens the CUDA libraries that pip has laid out in the toolchain (nvidia/*/lib), which the loader would not find
// there.
void open_cuda_libraries(const std::string& toolchain_dir);

}  // namespace ngb::onnxruntime
