// SPDX-License-Identifier: Apache-2.0
// Converts ONNX Runtime's errors: by their status code or, if that is too general, by their message.
#pragma once

#include <onnxruntime_c_api.h>

#include <string>

#include "ngraphbench/plugin_boundary.h"

namespace ngb::onnxruntime {

plugin::Failure failure_from(OrtErrorCode code, const std::string& message, const std::string& doing);

}  // namespace ngb::onnxruntime
