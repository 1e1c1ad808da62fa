// SPDX-License-Identifier: Apache-2.0
// OutputAllocator gives TensorRT an existing buffer for an output, and learns the output's shape once it is known.
#pragma once

#include <NvInfer.h>

#include "stream.h"

namespace ngb::tensorrt {

class OutputAllocator : public nvinfer1::IOutputAllocator {
 public:
  explicit OutputAllocator(const Buffer& buffer) : buffer_(buffer) {}
  [[nodiscard]] const Shape& shape() const { return shape_; }

#if NV_TENSORRT_MAJOR < 10
  void* reallocateOutput(const char*, void*, std::uint64_t size, std::uint64_t) noexcept override {
    return memory(size);
  }
#else
  void* reallocateOutputAsync(const char*, void*, std::uint64_t size, std::uint64_t, cudaStream_t) override {
    return memory(size);
  }
#endif
  void notifyShape(const char*, const nvinfer1::Dims& dims) noexcept override { shape_ = shape_of(dims); }

 private:
  [[nodiscard]] void* memory(std::uint64_t size) const {
    return size <= buffer_.size_bytes ? buffer_.on_gpu() : nullptr;
  }

  const Buffer& buffer_;
  Shape shape_;
};

}  // namespace ngb::tensorrt
