// SPDX-License-Identifier: Apache-2.0
// OpenVINO's errors in our taxonomy: nearly all have the status GENERAL_ERROR, so the message decides.
#pragma once

#include <openvino/c/openvino.h>

#include <string>

#include "../plugin_boundary.h"

namespace ngb::openvino {

plugin::Failure failure_from(ov_status_e status, const std::string& message, const std::string& doing);

}  // namespace ngb::openvino
