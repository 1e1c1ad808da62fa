// SPDX-License-Identifier: Apache-2.0
// Passes the host's tensors to TVM, and TVM's to the host.
#pragma once

#include <string>

#include "library.h"
#include "ngraphbench/compiler.h"

namespace ngb::tvm {

// Returns a TVM tensor over the host's memory. Throws plugin::Failure for a type that TVM does not support.
Value tensor_over(const Runtime& runtime, const ngb_tensor& tensor);

// Returns a tensor that points into the value and `name`. Throws plugin::Failure unless it is dense, in the CPU's
// memory.
ngb_tensor view_of(const Value& value, const std::string& name);

}  // namespace ngb::tvm
