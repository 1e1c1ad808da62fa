// SPDX-License-Identifier: Apache-2.0
// TensorRT's errors in our taxonomy: those of the parser from their codes, those of the builder from its message.
#pragma once

#include <NvOnnxParser.h>

#include <string>

#include "../plugin_boundary.h"

namespace ngb::tensorrt {

// Why the parser refused the file `path`, with the nodes that it is about. `reason`: what the logger says.
plugin::Failure parse_failure(const std::string& path, const nvonnxparser::IParser& parser, const std::string& reason);
plugin::Failure build_failure(const std::string& reason);

}  // namespace ngb::tensorrt
