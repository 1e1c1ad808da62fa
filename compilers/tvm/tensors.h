// SPDX-License-Identifier: Apache-2.0
// Tensors of the host's as TVM takes them, and TVM's as the host reads them.
#pragma once

#include <string>

#include "library.h"
#include "ngraphbench/compiler.h"

namespace ngb::tvm {

// A tensor of TVM's over the host's memory. Throws plugin::Failure for a type that TVM does not take.
Value tensor_over(const Runtime& runtime, const ngb_tensor& tensor);

// Points into the value and `name`. Throws plugin::Failure when it is no dense tensor on the processor.
ngb_tensor view_of(const Value& value, const std::string& name);

}  // namespace ngb::tvm
