// SPDX-License-Identifier: Apache-2.0
#include "tensors.h"

#include <algorithm>
#include <array>

#include "ngraphbench/plugin_boundary.h"

namespace ngb::tensorrt {
namespace {

using nvinfer1::DataType;

// Types that early headers do not name are given by number: kBF16 came with 9, kINT64 with 10.
constexpr std::array<ElementType, 8> kTypes{{{NGB_F32, DataType::kFLOAT, "f32", 4},
                                             {NGB_F16, DataType::kHALF, "f16", 2},
                                             {NGB_BF16, static_cast<DataType>(7), "bf16", 2},
                                             {NGB_I64, static_cast<DataType>(8), "i64", 8},
                                             {NGB_I32, DataType::kINT32, "i32", 4},
                                             {NGB_I8, DataType::kINT8, "i8", 1},
                                             {NGB_U8, DataType::kUINT8, "u8", 1},
                                             {NGB_BOOL, DataType::kBOOL, "bool", 1}}};

}  // namespace

const ElementType& element_type(ngb_dtype type) {
  const auto row = std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& known) { return known.ours == type; });
  if (row == kTypes.end()) {
    throw plugin::Failure(NGB_INVALID_MODEL, "an input has an element type that TensorRT cannot be fed");
  }
  return *row;
}

const ElementType& element_type(DataType type, const std::string& name) {
  const auto row = std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& known) { return known.theirs == type; });
  if (row != kTypes.end()) return *row;
  throw plugin::Failure(NGB_UNSUPPORTED_OPERATOR, "\"" + name + "\" has TensorRT's type " +
                                                      std::to_string(static_cast<int>(type)) +
                                                      ", which cannot be fed or read");
}

bool is_narrowed(ngb_dtype given, ngb_dtype taken) { return given == NGB_I64 && taken == NGB_I32; }

Shape shape_of(const nvinfer1::Dims& dims) { return {dims.d, dims.d + std::max(dims.nbDims, 0)}; }

Shape shape_of(const ngb_tensor& tensor) { return {tensor.shape, tensor.shape + tensor.rank}; }

nvinfer1::Dims dims_of(const Shape& shape) {
  using Extent = std::remove_reference_t<decltype(nvinfer1::Dims{}.d[0])>;  // 32 bits before 10
  nvinfer1::Dims dims{};
  if (shape.size() > static_cast<std::size_t>(nvinfer1::Dims::MAX_DIMS)) {
    throw plugin::Failure(NGB_UNSUPPORTED_OPERATOR, "TensorRT has no tensors of " + std::to_string(shape.size()) +
                                                        " dimensions, but at most " +
                                                        std::to_string(nvinfer1::Dims::MAX_DIMS));
  }
  dims.nbDims = static_cast<std::int32_t>(shape.size());
  std::transform(shape.begin(), shape.end(), dims.d, [](std::int64_t extent) { return static_cast<Extent>(extent); });
  return dims;
}

bool is_open(const Shape& shape) { return std::find(shape.begin(), shape.end(), -1) != shape.end(); }

std::uint64_t elements_of(const Shape& shape) {
  std::uint64_t elements = 1;
  for (const std::int64_t extent : shape) elements *= static_cast<std::uint64_t>(extent);
  return elements;
}

std::string text_of(const Shape& shape) {
  std::string text;
  for (const std::int64_t extent : shape) text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "[" + text + "]";
}

}  // namespace ngb::tensorrt
