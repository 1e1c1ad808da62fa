// SPDX-License-Identifier: Apache-2.0
// Converts element types and shapes between our terms and TensorRT's.
#pragma once

#include <NvInfer.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ngraphbench/compiler.h"

namespace ngb::tensorrt {

using Shape = std::vector<std::int64_t>;  // -1: open

struct ElementType {
  ngb_dtype ours;
  nvinfer1::DataType theirs;
  const char* name;
  std::uint64_t bytes;
};
// Throw plugin::Failure for a type that cannot be fed or read.
const ElementType& element_type(ngb_dtype type);
const ElementType& element_type(nvinfer1::DataType type, const std::string& name);
// Returns whether an i64 is computed as i32, because TensorRT before 10 has no i64.
[[nodiscard]] bool is_narrowed(ngb_dtype given, ngb_dtype taken);

[[nodiscard]] Shape shape_of(const nvinfer1::Dims& dims);
[[nodiscard]] Shape shape_of(const ngb_tensor& tensor);
[[nodiscard]] nvinfer1::Dims dims_of(const Shape& shape);
[[nodiscard]] bool is_open(const Shape& shape);
[[nodiscard]] std::uint64_t elements_of(const Shape& shape);
[[nodiscard]] std::string text_of(const Shape& shape);  // "[2, 3]"

}  // namespace ngb::tensorrt
