// SPDX-License-Identifier: Apache-2.0
// Gives TensorRT the memory that is there for an output, and is told its shape when that is known.
#pragma once

#include <NvInfer.h>

#include "stream.h"

namespace ngb::tensorrt {

class OutputAllocator : public nvinfer1::IOutputAllocator {
 public:
  explicit OutputAllocator(const Buffer& buffer) : buffer_(buffer) {}
  [[nodiscard]] const Shape& shape() const { return shape_; }

  // TensorRT calls the first of these until 9, the second from 10 on; no header has to have both.
  // NOLINTBEGIN(modernize-use-override,cppcoreguidelines-explicit-virtual-functions)
  void* reallocateOutput(const char*, void*, std::uint64_t size, std::uint64_t) noexcept { return memory(size); }
  void* reallocateOutputAsync(const char*, void*, std::uint64_t size, std::uint64_t, cudaStream_t) {
    return memory(size);
  }
  // NOLINTEND(modernize-use-override,cppcoreguidelines-explicit-virtual-functions)
  void notifyShape(const char*, const nvinfer1::Dims& dims) noexcept override { shape_ = shape_of(dims); }

 private:
  [[nodiscard]] void* memory(std::uint64_t size) const {
    return size <= buffer_.size_bytes ? buffer_.on_gpu() : nullptr;
  }

  const Buffer& buffer_;
  Shape shape_;
};

}  // namespace ngb::tensorrt
