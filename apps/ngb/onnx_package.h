// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "apps/ngb/command.h"
#include "plan/plan.h"

namespace ngb::app {

// Returns the package onnx of one of this machine's toolchains; its `python` is "" if none has it.
plan::OnnxPackage find_onnx_package(const Installation& installation);

}  // namespace ngb::app
