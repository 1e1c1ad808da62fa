// SPDX-License-Identifier: Apache-2.0
// Converts OpenVINO's errors by their message, because nearly all have the status GENERAL_ERROR.
#pragma once

#include <openvino/c/openvino.h>

#include <string>

#include "ngraphbench/plugin_boundary.h"

namespace ngb::openvino {

plugin::Failure failure_from(ov_status_e status, const std::string& message, const std::string& doing);

}  // namespace ngb::openvino
