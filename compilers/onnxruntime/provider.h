// SPDX-License-Identifier: Apache-2.0
// Adds the execution provider that a study requests.
#pragma once

#include <onnxruntime_c_api.h>

#include <string>

#include "library.h"
#include "settings.h"

namespace ngb::onnxruntime {

// Returns "OpenVINOExecutionProvider" for "openvino".
std::string provider_name(const std::string& word);
[[nodiscard]] bool is_on_gpu(const std::string& word);

// Forbids TF32 to all of NVIDIA's libraries. They read this when they are loaded, so it must precede CudaDevice and
// open_cuda_libraries.
void forbid_tf32();

// Throws plugin::Failure(NGB_TOOLCHAIN_MISSING) without the provider, and names its package.
void require_provider(const Runtime& runtime, const std::string& word);

// Adds the provider to a session's options, which always include the CPU provider. Throws plugin::Failure.
void append_provider(const Runtime& runtime, OrtSessionOptions* options, const Settings& settings);

}  // namespace ngb::onnxruntime
