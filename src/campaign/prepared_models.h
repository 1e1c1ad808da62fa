// SPDX-License-Identifier: Apache-2.0
// Makes the files that a study's models need before they can be planned: int8 files of exact models, and arrays of
// samples with their labels. They are kept in the cache by a hash of all that they are made from.
#pragma once

#include "base/result.h"
#include "campaign/installation.h"
#include "config/study.h"
#include "plan/plan.h"

namespace ngb::campaign {

// Makes the files that are missing and enters their paths into the study. Runs onnxruntime.quantization with the
// packages of this machine's toolchains onnxruntime and of one that has onnx, and NumPy (with Pillow for images) of one
// that has it. Returns an error that names the model, what is missing and what to type.
Status prepare_models(const Installation& installation, config::Study& study, const Say& say);

// Returns the package onnx of one of this machine's toolchains; its `python` is "" if none has it.
plan::OnnxPackage find_onnx_package(const Installation& installation);

}  // namespace ngb::campaign
