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

// Adds it to a session's options; the CPU provider is always there. Throws plugin::Failure when the library has none.
void append_provider(const Runtime& runtime, OrtSessionOptions* options, const Settings& settings);

}  // namespace ngb::onnxruntime
