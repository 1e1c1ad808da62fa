// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ngb::onnxruntime {

// Opens the toolchain's CUDA libraries (nvidia/*/lib), where the loader would not find them.
void open_cuda_libraries(const std::string& toolchain_dir);

}  // namespace ngb::onnxruntime
