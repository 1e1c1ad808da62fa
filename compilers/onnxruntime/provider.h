// SPDX-License-Identifier: Apache-2.0
// Adds the execution provider that a study requests.
#pragma once

#include <onnxruntime_c_api.h>

#include <filesystem>
#include <string>

#include "library.h"
#include "provider_package.h"
#include "settings.h"

namespace ngb::onnxruntime {

// Returns "OpenVINOExecutionProvider" for "openvino".
std::string provider_name(const std::string& word);
[[nodiscard]] bool is_on_gpu(const std::string& word);

// Forbids TF32 to all of NVIDIA's libraries. They read this when they are loaded, so it must precede CudaDevice and
// open_cuda_libraries.
void forbid_tf32();

// Returns the library of the provider's own package; "" if the provider is part of this ONNX Runtime. Throws
// plugin::Failure(NGB_TOOLCHAIN_MISSING) if it is neither, and names its package.
std::filesystem::path find_provider(const Runtime& runtime, const Settings& settings);

// Adds the provider to a session's options, which always include the CPU provider. `packaged` is null for a provider
// that is part of ONNX Runtime. Throws plugin::Failure.
void append_provider(const Runtime& runtime, OrtSessionOptions* options, const Settings& settings,
                     const PackagedProvider* packaged);

// Throws plugin::Failure(NGB_INVALID_OPTION), with the library's own words, if the status refuses an option that the
// study hands on to the provider: it names one that the message contains. The caller keeps any other status.
void check_options(const Runtime& runtime, OrtStatus* status, const plugin::LibrarySettings& handed_on);

}  // namespace ngb::onnxruntime
