// SPDX-License-Identifier: Apache-2.0
#include "session.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>

#include "logger.h"
#include "output_allocator.h"

namespace ngb::tensorrt {
namespace {

using nvinfer1::TensorIOMode;

// The first of these functions came with 10.1; the second was removed in 11.
template <class Engine>
std::int64_t memory_of(const Engine& engine, bool has_second) {
  if constexpr (requires { engine.getDeviceMemorySizeV2(); }) {
    if (has_second) return engine.getDeviceMemorySizeV2();
  }
  if constexpr (requires { engine.getDeviceMemorySize(); }) {
    return static_cast<std::int64_t>(engine.getDeviceMemorySize());
  }
  return 0;
}

// Invalid settings are refused before a GPU is needed.
Runtime open_library(const Settings& settings) {
  Runtime library(settings.toolchain_dir);
  check_precision(settings, library.version());
  return library;
}

std::vector<std::int32_t> narrowed(const ngb_tensor& tensor) {
  using Narrow = std::numeric_limits<std::int32_t>;
  const auto* const values = static_cast<const std::int64_t*>(tensor.data);
  std::vector<std::int32_t> all;
  for (std::uint64_t i = 0; i < tensor.size_bytes / sizeof *values; ++i) {
    if (values[i] < Narrow::min() || values[i] > Narrow::max()) {
      throw plugin::Failure(
          NGB_UNSUPPORTED_OPERATOR,
          std::string("input \"") + tensor.name + "\" has values beyond 32 bits, which this TensorRT does not have",
          "use version 10 or newer");
    }
    all.push_back(static_cast<std::int32_t>(values[i]));
  }
  return all;
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::string content(file ? static_cast<std::size_t>(file.tellg()) : 0, '\0');
  file.seekg(0).read(content.data(), static_cast<std::streamsize>(content.size()));
  if (!file) throw plugin::Failure(NGB_INTERNAL, path + ": the engine's file cannot be read");
  return content;
}

}  // namespace

Session::Session(const ngb_settings& given, const plugin::Options& options)
    : settings_(given, options),
      library_(open_library(settings_)),
      gpu_("TensorRT " + library_.version(), settings_.wait),
      copy_in_(gpu_.function<std::uint64_t, const void*, std::size_t, cudaStream_t>("cuMemcpyHtoDAsync_v2")),
      copy_out_(gpu_.function<void*, std::uint64_t, std::size_t, cudaStream_t>("cuMemcpyDtoHAsync_v2")),
      synchronize_(gpu_.function<cudaStream_t>("cuStreamSynchronize")),
      launch_(gpu_.function<void*, cudaStream_t>("cuGraphLaunch")) {
  facts_ = {{"version", library_.version()},
            {"headers", std::to_string(NV_TENSORRT_MAJOR) + "." + std::to_string(NV_TENSORRT_MINOR)},
            {"library", library_.path()},
            {"device", "cuda"},
            {"wait", settings_.wait},
            {"device_name", gpu_.name()},
            {"compute_capability", gpu_.compute_capability()},
            {"driver_cuda_version", gpu_.driver_cuda_version()}};
}

Session::~Session() { unbind(); }

void Session::compile(const ngb_model& model) {
  Building building(library_, settings_, gpu_.name() + " " + gpu_.compute_capability());
  const auto plan = building.build(model);
  std::ofstream file(model.artifact_path, std::ios::binary);
  file.write(static_cast<const char*>(plan->data()), static_cast<std::streamsize>(plan->size()));
  file.close();
  if (!file) throw plugin::Failure(NGB_INTERNAL, std::string(model.artifact_path) + ": " + std::strerror(errno));
  for (const auto& [key, value] : building.facts()) tell(key, value);
}

void Session::load(const ngb_model& model) {
  const std::string plan = content_of(model.artifact_path);
  tell("engine_bytes", std::to_string(plan.size()));
  runtime_ = library_.make_runtime();
  logger().forget();
  engine_.reset(runtime_->deserializeCudaEngine(plan.data(), plan.size()));
  if (engine_ == nullptr) {
    throw plugin::Failure(NGB_COMPILER_FAILED, "TensorRT cannot open the engine: " + logger().reason());
  }
  logger().forget();
  context_.reset(engine_->createExecutionContext());
  if (context_ == nullptr) {
    throw plugin::Failure(NGB_OUT_OF_MEMORY, "TensorRT cannot make an execution context: " + logger().reason());
  }
  stream_.emplace(gpu_);
  tell("layers", std::to_string(engine_->getNbLayers()));
  tell("activation_memory_bytes", std::to_string(memory_of(*engine_, library_.is_at_least(10, 1))));
}

void Session::bind(const ngb_tensor* inputs, std::uint32_t count) {
  unbind();
  logger().forget();
  for (std::uint32_t i = 0; i < count; ++i) add_input(inputs[i]);
  for (std::int32_t i = 0; i < engine_->getNbIOTensors(); ++i) {
    const std::string name = engine_->getIOTensorName(i);
    if (engine_->getTensorIOMode(name.c_str()) == TensorIOMode::kOUTPUT) add_output(name);
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (allocators_[i] == nullptr || !(settings_.includes_transfer || settings_.uses_graph)) continue;
    throw plugin::Failure(NGB_INVALID_OPTION,
                          "include_transfer and cuda_graph need outputs of known shape; that of \"" +
                              outputs_[i]->name + "\" is known only after a run");
  }
  for (const auto& input : inputs_) {
    gpu_.call("cuMemcpyHtoDAsync_v2", input->device, static_cast<const void*>(input->host),
              static_cast<std::size_t>(input->size_bytes), stream_->handle());
  }
  enqueue_or_throw();
  stream_->synchronize();
  tell("gpu_inference_ns", std::to_string(stream_->time_ns([&] { enqueue_or_throw(); })));
  if (settings_.uses_graph) graph_ = std::make_unique<Graph>(gpu_, *stream_, [&] { enqueue_or_throw(); });
  tell_of_binding();
}

void Session::add_input(const ngb_tensor& tensor) {
  const std::string name = tensor.name;
  const Shape shape = shape_of(tensor);
  const bool has_open_shape = is_open(shape_of(engine_->getTensorShape(tensor.name)));
  if (has_open_shape && !context_->setInputShape(tensor.name, dims_of(shape))) {
    throw plugin::Failure(NGB_INVALID_MODEL,
                          "input \"" + name + "\" cannot be " + text_of(shape) + ": " + logger().reason());
  }
  const ngb_dtype dtype = element_type(engine_->getTensorDataType(tensor.name), name).ours;
  std::vector<std::int32_t> narrow;
  if (is_narrowed(tensor.dtype, dtype)) narrow = narrowed(tensor);
  const void* const data = narrow.empty() ? tensor.data : narrow.data();
  const std::uint64_t size_bytes = narrow.empty() ? tensor.size_bytes : narrow.size() * sizeof narrow[0];
  inputs_.push_back(make_buffer(name, dtype, shape, size_bytes));
  if (size_bytes > 0) std::memcpy(inputs_.back()->host, data, size_bytes);
}

void Session::add_output(const std::string& name) {
  const ElementType& type = element_type(engine_->getTensorDataType(name.c_str()), name);
  const Shape shape = shape_of(context_->getTensorShape(name.c_str()));
  if (!is_open(shape)) {
    outputs_.push_back(make_buffer(name, type.ours, shape, elements_of(shape) * type.bytes));
    allocators_.push_back(nullptr);
    return;
  }
  const std::int64_t size_bytes = std::max<std::int64_t>(context_->getMaxOutputSize(name.c_str()), 0);
  outputs_.push_back(make_buffer(name, type.ours, shape, static_cast<std::uint64_t>(size_bytes)));
  allocators_.push_back(std::make_unique<OutputAllocator>(*outputs_.back()));
  context_->setOutputAllocator(name.c_str(), allocators_.back().get());
}

std::unique_ptr<Buffer> Session::make_buffer(const std::string& name, ngb_dtype dtype, const Shape& shape,
                                             std::uint64_t size_bytes) {
  if (engine_->getTensorLocation(name.c_str()) != nvinfer1::TensorLocation::kDEVICE) {
    throw plugin::Failure(NGB_UNSUPPORTED_OPERATOR,
                          "\"" + name + "\" holds a shape, which TensorRT keeps in the CPU's memory",
                          "leave this model out for tensorrt-cpp");
  }
  auto buffer = std::make_unique<Buffer>(gpu_, name, dtype, shape, size_bytes);
  if (context_->setTensorAddress(name.c_str(), buffer->on_gpu())) return buffer;
  throw plugin::Failure(NGB_COMPILER_FAILED,
                        "TensorRT does not accept memory for \"" + name + "\": " + logger().reason());
}

int Session::enqueue_with_transfer() {
  const cudaStream_t stream = stream_->handle();
  int status = 0;
  for (const auto& each : inputs_) {
    if (status == 0) status = copy_in_(each->device, each->host, each->size_bytes, stream);
  }
  if (status == 0 && !context_->enqueueV3(stream)) return kNotEnqueued;
  for (const auto& each : outputs_) {
    if (status == 0) status = copy_out_(each->host, each->device, each->size_bytes, stream);
  }
  return status;
}

void Session::enqueue_or_throw() {
  if (const int status = enqueue(); status != 0) fail(status);
}

void Session::fail(int status) const {
  if (status != kNotEnqueued) throw gpu_.failure(graph_ != nullptr ? "launching the graph" : "the inference", status);
  throw plugin::Failure(NGB_COMPILER_FAILED, "TensorRT cannot run the model: " + logger().reason());
}

void Session::unbind() {
  graph_.reset();
  for (auto* const buffers : {&inputs_, &outputs_}) {
    for (auto& buffer : *buffers) buffer.reset();
    buffers->clear();
  }
  allocators_.clear();
}

ngb_tensor Session::read(std::uint32_t index) {
  const Buffer& buffer = *outputs_[index];
  output_shape_ = allocators_[index] == nullptr ? buffer.shape : allocators_[index]->shape();
  const std::uint64_t size_bytes = elements_of(output_shape_) * element_type(buffer.dtype).bytes;
  if (!settings_.includes_transfer) {
    gpu_.call("cuMemcpyDtoHAsync_v2", buffer.host, buffer.device, static_cast<std::size_t>(size_bytes),
              stream_->handle());
    stream_->synchronize();
  }
  return {buffer.name.c_str(),  buffer.dtype, static_cast<std::int32_t>(output_shape_.size()),
          output_shape_.data(), buffer.host,  size_bytes};
}

void Session::begin_profile() {
  if (settings_.uses_graph) {
    throw plugin::Failure(NGB_NO_PROFILE, "TensorRT does not measure the layers of a CUDA graph", "remove cuda_graph");
  }
  layer_times_.forget();
  context_->setProfiler(&layer_times_);
}

const KernelTable& Session::end_profile(std::uint32_t inferences) {
  context_->setProfiler(nullptr);
  kernels_ = KernelTable(layer_times_.kernels(inferences));
  return kernels_;
}

void Session::tell_of_binding() {
  std::uint64_t bytes = 0;
  for (const auto* const buffers : {&inputs_, &outputs_}) {
    for (const auto& buffer : *buffers) bytes += buffer->size_bytes;
  }
  tell("input_output_memory_bytes", std::to_string(bytes));
  tell("is_cuda_graph", graph_ != nullptr ? "true" : "false");
}

void Session::tell(const std::string& key, const std::string& value) {
  const auto known = std::find_if(facts_.begin(), facts_.end(), [&](const auto& fact) { return fact.first == key; });
  if (known == facts_.end()) {
    facts_.emplace_back(key, value);
  } else {
    known->second = value;
  }
}

}  // namespace ngb::tensorrt
