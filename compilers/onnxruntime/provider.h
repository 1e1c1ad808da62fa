// SPDX-License-Identifier: Apache-2.0
// The execution provider that a study asks for.
#pragma once

#include <onnxruntime_c_api.h>

#include <string>

#include "library.h"
#include "settings.h"

namespace ngb::onnxruntime {

// "openvino" -> "OpenVINOExecutionProvider"
std::string provider_name(const std::string& word);
[[nodiscard]] bool is_on_gpu(const std::string& word);

// Throws plugin::Failure(NGB_TOOLCHAIN_MISSING) when the library has no such provider; names the package that has.
void require_provider(const Runtime& runtime, const std::string& word);

// Adds it to a session's options; the CPU provider is always there. Throws plugin::Failure.
void append_provider(const Runtime& runtime, OrtSessionOptions* options, const Settings& settings);

}  // namespace ngb::onnxruntime
