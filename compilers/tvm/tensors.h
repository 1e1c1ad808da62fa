// SPDX-License-Identifier: Apache-2.0
// Passes the host's tensors to TVM, and TVM's to the host.
#pragma once

#include <string>

#include "library.h"
#include "ngraphbench/compiler.h"

namespace ngb::tvm {

// Returns a TVM tensor over the host's memory. Throws plugin::Failure for a type that TVM does not support.
Value tensor_over(const Runtime& runtime, const ngb_tensor& tensor);
// The same for a tensor of that type and shape whose elements are in the GPU's memory.
Value tensor_on_gpu(const Runtime& runtime, const ngb_tensor& tensor, void* on_gpu);

// Returns a tensor that points into the value and `name`. Throws plugin::Failure unless it is dense, in the memory of
// `device`. On a GPU its data is an address there.
ngb_tensor view_of(const Value& value, const std::string& name, DLDeviceType device);

}  // namespace ngb::tvm
