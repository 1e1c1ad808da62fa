// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "campaign/installation.h"
#include "plan/plan.h"

namespace ngb::campaign {

// Returns the package onnx of one of this machine's toolchains; its `python` is "" if none has it.
plan::OnnxPackage find_onnx_package(const Installation& installation);

}  // namespace ngb::campaign
