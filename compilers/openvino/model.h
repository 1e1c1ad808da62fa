// SPDX-License-Identifier: Apache-2.0
// Converts element types and tensors to OpenVINO's.
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

// Checks the cell's inputs against the model's, and gives dynamic ones the cell's shapes. Throws plugin::Failure.
void settle_inputs(const Runtime& runtime, ov_model_t* model, const ngb_model& cell);

// Returns a tensor over host memory. Throws plugin::Failure.
Owned<ov_tensor_t> wrap(const Runtime& runtime, const ngb_tensor& tensor);

}  // namespace ngb::openvino
