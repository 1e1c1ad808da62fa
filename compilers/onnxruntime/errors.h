// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime's errors in our taxonomy: from its status code and, where that says too little, its message.
#pragma once

#include <onnxruntime_c_api.h>

#include <string>

#include "../plugin_boundary.h"

namespace ngb::onnxruntime {

plugin::Failure failure_from(OrtErrorCode code, const std::string& message, const std::string& doing);

}  // namespace ngb::onnxruntime
