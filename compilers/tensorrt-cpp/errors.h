// SPDX-License-Identifier: Apache-2.0
// Converts TensorRT's errors: the parser's by their codes, the builder's by their message.
#pragma once

#include <NvOnnxParser.h>

#include <string>

#include "ngraphbench/plugin_boundary.h"

namespace ngb::tensorrt {

// Returns why the parser refused the file `path`, with the nodes concerned. `reason` is what the logger received.
plugin::Failure parse_failure(const std::string& path, const nvonnxparser::IParser& parser, const std::string& reason);
// `kernels_advice` is what to do if TensorRT did not find its kernels, or empty.
plugin::Failure build_failure(const std::string& reason, const std::string& kernels_advice);

}  // namespace ngb::tensorrt
