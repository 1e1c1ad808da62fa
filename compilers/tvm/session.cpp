// SPDX-License-Identifier: Apache-2.0
#include "session.h"

#include <array>

#include "tensors.h"

namespace ngb::tvm {
namespace {

using nlohmann::json;

// Tuning and running use equal numbers of threads, on this process's processors.
plugin::CompileProcess::Variables python_variables(const Settings& settings) {
  const std::string threads = std::to_string(settings.threads);
  plugin::CompileProcess::Variables variables{
      {"TVM_NUM_THREADS", threads}, {"OMP_NUM_THREADS", threads}, {"TVM_BIND_THREADS", "0"}};
  if (settings.is_on_gpu) variables["LD_LIBRARY_PATH"] = cuda_library_path(settings.toolchain_dir);
  return variables;
}

constexpr const char* kObject = "model.so";  // TVM derives a file's kind from its extension

}  // namespace

Session::Session(const ngb_settings& given, const plugin::Options& options)
    : CompiledElsewhere(kObject),
      settings_(given, options),
      runtime_(settings_.toolchain_dir, settings_.threads),
      gpu_(settings_.is_on_gpu ? std::make_unique<Gpu>(runtime_, settings_.toolchain_dir, settings_.wait) : nullptr),
      functions_(runtime_.functions()),
      machine_(functions_),
      main_(functions_),
      result_(functions_),
      read_(functions_) {
  start_process("tvm", given, python_variables(settings_));
}

void Session::compile(const ngb_model& model) {
  compile_elsewhere(model, {{"threads", settings_.threads},
                            {"gpu", gpu_ == nullptr ? json() : gpu_->target()},
                            {"trials", settings_.trials},
                            {"early_stop", settings_.early_stop},
                            {"seed", settings_.seed},
                            {"frontend", settings_.frontend},
                            {"settings", settings_.pass_configuration},
                            {"is_profiled", settings_.is_profiled},
                            {"cache", settings_.cache_dir}});
}

void Session::load(const ngb_model& model) {
  const plugin::ArtifactFolder artifact = end_process(model);
  output_names_ = artifact.read_signature().at("outputs").get<std::vector<std::string>>();
  std::array<TVMFFIAny, 1> file{argument(artifact.program.c_str())};
  const Value module = runtime_.call("ffi.ModuleLoadFromFile", file, "load the compiled model");
  machine_ = runtime_.call(runtime_.function_of(module, "vm_load_executable"), {}, "load the compiled model");
  std::vector<TVMFFIAny> devices;  // the CPU is the last: it computes shapes
  for (const DLDeviceType type : {kDLCUDA, kDLCPU}) {
    if (type == kDLCUDA && gpu_ == nullptr) continue;
    for (const std::int64_t number : {std::int64_t{type}, std::int64_t{0}, kPooledAllocator}) {
      devices.push_back(argument(number));
    }
  }
  runtime_.call(runtime_.function_of(machine_, "vm_initialization"), devices, "start its virtual machine");
  main_ = runtime_.function_of(machine_, "main");
  running_ = main_.object();
  if (settings_.is_profiled && gpu_ == nullptr) try_to_load_profiled(module, model.artifact_path);
  check_threads();
}

void Session::check_threads() {
  const Value threads = runtime_.call("runtime.NumThreads", {}, "report its threads");
  const std::int64_t count = threads.lend().v_int64;
  plugin::check_threads("TVM", count, settings_.threads);
  facts_.insert(
      facts_.end(),
      {{"device", gpu_ == nullptr ? "cpu" : "cuda"}, {"precision", "f32"}, {"threads", std::to_string(count)}});
  if (gpu_ == nullptr) return;
  facts_.emplace_back("device_name", gpu_->device().name());
  facts_.emplace_back("compute_capability", gpu_->device().compute_capability());
}

void Session::bind(const ngb_tensor* inputs, std::uint32_t count) {
  arguments_.clear();
  inputs_.clear();
  if (gpu_ != nullptr) gpu_->free_all();
  for (std::uint32_t i = 0; i < count; ++i) bind_input(inputs[i]);
}

void Session::bind_input(const ngb_tensor& input) {
  inputs_.push_back(gpu_ == nullptr ? tensor_over(runtime_, input)
                                    : tensor_on_gpu(runtime_, input, gpu_->copy_of(input)));
  arguments_.push_back(inputs_.back().lend());
}

void Session::fail(int /*status*/) const {
  if (wait_status_ != 0) throw gpu_->device().failure("waiting for the GPU", wait_status_);
  throw runtime_.failure("run the model");
}

// A model with one output returns a tensor; one with several returns an array of tensors.
std::size_t Session::output_count() const {
  if (result_.type() != kTVMFFIArray) return 1;
  std::array<TVMFFIAny, 1> array{result_.lend()};
  return static_cast<std::size_t>(runtime_.call("ffi.ArraySize", array, "count its outputs").lend().v_int64);
}

ngb_tensor Session::read(std::uint32_t index) {
  const std::string& name = output_names_.at(index);
  if (result_.type() == kTVMFFIArray) {
    std::array<TVMFFIAny, 2> item{result_.lend(), argument(std::int64_t{index})};
    read_ = runtime_.call("ffi.ArrayGetItem", item, "read an output");
  }
  const Value& value = result_.type() == kTVMFFIArray ? read_ : result_;
  ngb_tensor output = view_of(value, name, gpu_ == nullptr ? kDLCPU : kDLCUDA);
  if (gpu_ == nullptr || value.type() == kTVMFFIShape) return output;
  on_host_.resize(output.size_bytes);
  gpu_->device().copy_out(on_host_.data(), output.data, output.size_bytes);
  output.data = on_host_.data();
  return output;
}

}  // namespace ngb::tvm
