// SPDX-License-Identifier: Apache-2.0
// Element types and tensors, in our terms and in OpenVINO's.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "library.h"
#include "ngraphbench/compiler.h"

namespace ngb::openvino {

struct ElementType {
  ngb_dtype ours;
  ov_element_type_e theirs;
  std::uint64_t bytes;
};
std::span<const ElementType> element_types();
// Throw plugin::Failure for a type that cannot be fed or read.
const ElementType& element_type(ngb_dtype type);
const ElementType& element_type(ov_element_type_e type, const std::string& name);

// The cell's inputs must be those of the model; dynamic ones get the cell's shapes. Throws plugin::Failure.
void settle_inputs(const Runtime& runtime, ov_model_t* model, const ngb_model& cell);

// A view of host memory. Throws plugin::Failure.
Owned<ov_tensor_t> wrap(const Runtime& runtime, const ngb_tensor& tensor);

}  // namespace ngb::openvino
