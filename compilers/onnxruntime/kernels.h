// SPDX-License-Identifier: Apache-2.0
// Reads the times of kernels from ONNX Runtime's own profile, and which ONNX nodes they stand for from the optimised
// model that it saves.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "../onnx_nodes.h"
#include "ngraphbench/kernels.h"

namespace ngb::onnxruntime {

// Returns the kernels of one inference, with means over the last `inferences` of the profile. `optimised` are the nodes
// of the saved model, `original` those of the model's file. Throws plugin::Failure if the profile is damaged, or its
// inferences did not run the same kernels.
std::vector<Kernel> kernels_of(std::string_view profile, std::uint32_t inferences, const plugin::OnnxNodes& optimised,
                               const plugin::OnnxNodes& original);

// Returns the kernels in the order of `first`, if they are the same but for their times; else as they are. ONNX Runtime
// calls kernels that do not depend on each other in another order in each session.
std::vector<Kernel> in_order_of(const std::vector<Kernel>& first, std::vector<Kernel> kernels);

}  // namespace ngb::onnxruntime
