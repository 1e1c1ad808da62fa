// SPDX-License-Identifier: Apache-2.0
// A stream of the driver, and what can be done with what is put on it; memory for a tensor.
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

  // All throw plugin::Failure.
  explicit Stream(const plugin::CudaDevice& gpu);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  [[nodiscard]] cudaStream_t handle() const { return static_cast<cudaStream_t>(handle_); }
  void synchronize() const;
  // How long the GPU is busy with what `enqueue` puts on the stream, by its own clock (CUDA events).
  [[nodiscard]] std::int64_t time_ns(const Enqueue& enqueue) const;

 private:
  const plugin::CudaDevice& gpu_;
  void* handle_ = nullptr;
};

// What was put on a stream, captured to be launched at once; nothing of it ran.
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

// A tensor on the GPU, and page-locked memory of the same size, so that a copy is one by the GPU itself.
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
