// SPDX-License-Identifier: Apache-2.0
#include "stream.h"

#include <algorithm>
#include <cmath>

namespace ngb::tensorrt {
namespace {

constexpr unsigned kNonBlocking = 1;  // CU_STREAM_NON_BLOCKING
constexpr int kThreadLocal = 1;       // CU_STREAM_CAPTURE_MODE_THREAD_LOCAL

class Event {
 public:
  explicit Event(const plugin::CudaDevice& gpu) : gpu_(gpu) { gpu.call("cuEventCreate", &handle_, 0U); }
  ~Event() { gpu_.status_of("cuEventDestroy_v2", handle_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  [[nodiscard]] void* handle() const { return handle_; }

 private:
  const plugin::CudaDevice& gpu_;
  void* handle_ = nullptr;
};

}  // namespace

Stream::Stream(const plugin::CudaDevice& gpu) : gpu_(gpu) { gpu.call("cuStreamCreate", &handle_, kNonBlocking); }

Stream::~Stream() { gpu_.status_of("cuStreamDestroy_v2", handle_); }

void Stream::synchronize() const { gpu_.call("cuStreamSynchronize", handle_); }

std::int64_t Stream::time_ns(const Enqueue& enqueue) const {
  const Event start(gpu_);
  const Event stop(gpu_);
  float milliseconds = 0;
  gpu_.call("cuEventRecord", start.handle(), handle_);
  enqueue();
  gpu_.call("cuEventRecord", stop.handle(), handle_);
  synchronize();
  gpu_.call("cuEventElapsedTime", &milliseconds, start.handle(), stop.handle());
  return std::llround(static_cast<double>(milliseconds) * 1e6);
}

Graph::Graph(const plugin::CudaDevice& gpu, const Stream& stream, const Stream::Enqueue& enqueue) : gpu_(gpu) {
  void* const on = stream.handle();
  void* graph = nullptr;
  gpu.call("cuStreamBeginCapture_v2", on, kThreadLocal);
  try {
    enqueue();
  } catch (...) {
    if (gpu.status_of("cuStreamEndCapture", on, &graph) == 0) gpu.status_of("cuGraphDestroy", graph);
    throw;
  }
  gpu.call("cuStreamEndCapture", on, &graph);
  const int status = gpu.status_of("cuGraphInstantiateWithFlags", &handle_, graph, 0ULL);
  gpu.status_of("cuGraphDestroy", graph);
  if (status != 0) throw gpu.failure("cuGraphInstantiateWithFlags", status);
}

Graph::~Graph() { gpu_.status_of("cuGraphExecDestroy", handle_); }

Buffer::Buffer(const plugin::CudaDevice& device_of, std::string its_name, ngb_dtype its_dtype, Shape its_shape,
               std::uint64_t its_bytes)
    : gpu(device_of), name(std::move(its_name)), dtype(its_dtype), shape(std::move(its_shape)), size_bytes(its_bytes) {
  const auto bytes = static_cast<std::size_t>(std::max<std::uint64_t>(size_bytes, 1));
  gpu.call("cuMemAlloc_v2", &device, bytes);
  if (const int status = gpu.status_of("cuMemHostAlloc", &host, bytes, 0U); status != 0) {
    gpu.status_of("cuMemFree_v2", device);
    throw gpu.failure("cuMemHostAlloc", status);
  }
}

Buffer::~Buffer() {
  gpu.status_of("cuMemFree_v2", device);
  gpu.status_of("cuMemFreeHost", host);
}

}  // namespace ngb::tensorrt
