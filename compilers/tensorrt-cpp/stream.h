// SPDX-License-Identifier: Apache-2.0
// Stream is a stream of the driver, with operations on the work that is enqueued on it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "../cuda_device.h"
#include "tensors.h"

namespace ngb::tensorrt {

class Stream {
 public:
  using Enqueue = std::function<void()>;  // throws plugin::Failure

  // All of these throw plugin::Failure.
  explicit Stream(const plugin::CudaDevice& gpu);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  [[nodiscard]] cudaStream_t handle() const { return static_cast<cudaStream_t>(handle_); }
  void synchronize() const;
  // Returns how long the GPU works on what `enqueue` puts on the stream, by its own clock (CUDA events).
  [[nodiscard]] std::int64_t time_ns(const Enqueue& enqueue) const;

 private:
  const plugin::CudaDevice& gpu_;
  void* handle_ = nullptr;
};

// Graph holds captured work that can be launched at once; capturing runs none of it.
class Graph {
 public:
  Graph(const plugin::CudaDevice& gpu, const Stream& stream, const Stream::Enqueue& enqueue);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  [[nodiscard]] void* handle() const { return handle_; }

 private:
  const plugin::CudaDevice& gpu_;
  void* handle_ = nullptr;
};

// Buffer is a tensor on the GPU and page-locked memory of the same size, so that the GPU itself copies.
struct Buffer {
  Buffer(const plugin::CudaDevice& device_of, std::string its_name, ngb_dtype its_dtype, Shape its_shape,
         std::uint64_t its_bytes);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  [[nodiscard]] void* on_gpu() const { return reinterpret_cast<void*>(device); }

  const plugin::CudaDevice& gpu;
  std::string name;
  ngb_dtype dtype;
  Shape shape;
  std::uint64_t size_bytes;
  std::uint64_t device = 0;  // address on the GPU
  void* host = nullptr;
};

}  // namespace ngb::tensorrt
