// SPDX-License-Identifier: Apache-2.0
// Finds the shapes of an ONNX operator's outputs from those of its inputs, by the rules of the standard.
#pragma once

#include "userfiles/onnx_operator.h"

namespace ngb::userfiles {

// Adds what follows from the operator's inputs to the outputs of which `tensors` does not know it: extents, the size of
// elements, and the values of short lists of integers, from which files with an open batch compute shapes. Operators
// without a rule, and inputs that are not known, add nothing.
void find_outputs(const Operator& node, GraphTensors& tensors);

}  // namespace ngb::userfiles
