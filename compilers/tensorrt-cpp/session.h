// SPDX-License-Identifier: Apache-2.0
// Session is an engine on the GPU: its context, its tensors in our memory, and the timed call.
#pragma once

#include <NvInfer.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../cuda_device.h"
#include "building.h"
#include "layer_times.h"
#include "library.h"
#include "ngraphbench/plugin_boundary.h"
#include "settings.h"
#include "stream.h"

namespace ngb::tensorrt {

class OutputAllocator;  // for an output whose shape is known only after a run

class Session {
 public:
  Session(const ngb_settings& settings, const plugin::Options& options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void compile(const ngb_model& model);
  void load(const ngb_model& model);
  // Ends with two untimed inferences: one completes the context's preparations, the GPU's clock times the other.
  void bind(const ngb_tensor* inputs, std::uint32_t count);
  // Returns 0, or a status that `fail` explains.
  int run() {
    const int status = graph_ != nullptr ? launch_(graph_->handle(), stream_->handle()) : enqueue();
    return status != 0 ? status : synchronize_(stream_->handle());
  }
  [[noreturn]] void fail(int status) const;
  [[nodiscard]] std::size_t output_count() const { return outputs_.size(); }
  ngb_tensor read(std::uint32_t index);
  [[nodiscard]] const Facts& facts() const { return facts_; }
  // Throws plugin::Failure(NGB_NO_PROFILE) for a CUDA graph.
  void begin_profile();
  const KernelTable& end_profile(std::uint32_t inferences);

 private:
  using CopyIn = int (*)(std::uint64_t, const void*, std::size_t, cudaStream_t);
  using CopyOut = int (*)(void*, std::uint64_t, std::size_t, cudaStream_t);
  using Synchronize = int (*)(cudaStream_t);
  using Launch = int (*)(void*, cudaStream_t);

  // Enqueues a whole inference on the stream. A graph captures the same.
  int enqueue() {
    if (settings_.includes_transfer) [[unlikely]]
      return enqueue_with_transfer();
    return context_->enqueueV3(stream_->handle()) ? 0 : kNotEnqueued;
  }
  int enqueue_with_transfer();
  void enqueue_or_throw();
  void unbind();
  void add_input(const ngb_tensor& tensor);
  void add_output(const std::string& name);
  [[nodiscard]] std::unique_ptr<Buffer> make_buffer(const std::string& name, ngb_dtype dtype, const Shape& shape,
                                                    std::uint64_t size_bytes);
  void tell_of_binding();
  void tell(const std::string& key, const std::string& value);

  static constexpr int kNotEnqueued = -1;  // TensorRT's enqueueV3 returned false

  Settings settings_;
  Runtime library_;
  plugin::CudaDevice gpu_;
  CopyIn copy_in_;
  CopyOut copy_out_;
  Synchronize synchronize_;
  Launch launch_;
  std::optional<Stream> stream_;
  LayerTimes layer_times_;                       // the context refers to it during a profile
  KernelTable kernels_;                          // of the last profile
  std::unique_ptr<nvinfer1::IRuntime> runtime_;  // order matters: runtime, engine, context
  std::unique_ptr<nvinfer1::ICudaEngine> engine_;
  std::unique_ptr<nvinfer1::IExecutionContext> context_;
  std::vector<std::unique_ptr<OutputAllocator>> allocators_;  // one per output; null if its shape is known
  std::vector<std::unique_ptr<Buffer>> outputs_;
  std::vector<std::unique_ptr<Buffer>> inputs_;
  std::unique_ptr<Graph> graph_;
  Shape output_shape_;  // of the last read
  Facts facts_;
};

}  // namespace ngb::tensorrt
