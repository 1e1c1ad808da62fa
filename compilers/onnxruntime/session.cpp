// SPDX-License-Identifier: Apache-2.0
#include "session.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <new>
#include <sstream>

#include "cuda_libraries.h"
#include "entries.h"
#include "placement.h"
#include "provider.h"

namespace ngb::onnxruntime {
namespace {

constexpr std::size_t kAlignment = 64;
// Level 1 is f32, 4 (the library's default) 8-bit integers.
constexpr const char* kWeightProducts = "session.qdq_matmulnbits_accuracy_level";
constexpr const char* kInF32 = "1";
// In the folder of an artifact.
constexpr const char* kKeptModel = "model.onnx";
constexpr const char* kKeptWeights = "model.weights";

GraphOptimizationLevel level_of(const std::string& word) {
  if (word == "disabled") return ORT_DISABLE_ALL;
  if (word == "basic") return ORT_ENABLE_BASIC;
  if (word == "extended") return ORT_ENABLE_EXTENDED;
  return ORT_ENABLE_ALL;
}

void* allocated(std::uint64_t bytes) {
  void* const memory = std::aligned_alloc(kAlignment, (bytes / kAlignment + 1) * kAlignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

Slot slot_from(const ngb_tensor& tensor) {
  return {tensor.name, tensor.dtype, {tensor.shape, tensor.shape + tensor.rank}};
}

}  // namespace

Session::Session(const ngb_settings& given, const plugin::Options& options)
    : settings_(given, options),
      runtime_(settings_.toolchain_dir),
      api_(runtime_.api()),
      environment_(nullptr, api_.ReleaseEnv),
      memory_(nullptr, api_.ReleaseMemoryInfo),
      session_(nullptr, api_.ReleaseSession),
      gpu_memory_(nullptr, api_.ReleaseAllocator),
      run_options_(nullptr, api_.ReleaseRunOptions),
      binding_(nullptr, api_.ReleaseIoBinding) {
  const std::filesystem::path library = find_provider(runtime_, settings_);
  check_in_flight();
  slots_ = static_cast<std::size_t>(settings_.in_flight > 0 ? settings_.in_flight : settings_.threads);
  lane_count_ = std::min(slots_, static_cast<std::size_t>(settings_.threads));
  if (is_on_gpu(settings_.provider) || !library.empty()) forbid_tf32();
  if (is_on_gpu(settings_.provider)) {
    gpu_ = std::make_unique<plugin::CudaDevice>("onnxruntime's provider " + settings_.provider, settings_.wait);
    open_cuda_libraries(settings_.toolchain_dir);
  }
  OrtEnv* environment = nullptr;
  runtime_.check(api_.CreateEnv(ORT_LOGGING_LEVEL_ERROR, "ngraphbench", &environment), "start");
  environment_.reset(environment);
  if (!library.empty()) packaged_.emplace(runtime_, environment, *provider_package(settings_.provider), library);
  OrtMemoryInfo* memory = nullptr;
  runtime_.check(api_.CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory), "describe memory");
  memory_.reset(memory);
  OrtRunOptions* run_options = nullptr;
  runtime_.check(api_.CreateRunOptions(&run_options), "make run options");
  run_options_.reset(run_options);
  facts_ = {{"version", runtime_.version()}, {"api_version", std::to_string(kApiVersion)}};
}

void Session::check_in_flight() const {
  if (settings_.in_flight == 1 || settings_.provider == "cpu") return;
  throw plugin::Failure(
      NGB_INVALID_OPTION,
      "onnxruntime has several inferences in flight with the provider cpu only, not with " + settings_.provider,
      "remove in_flight, or give it to another compiler");
}

Owned<OrtSessionOptions> Session::make_options(std::size_t lane) const {
  OrtSessionOptions* raw = nullptr;
  runtime_.check(api_.CreateSessionOptions(&raw), "make session options");
  Owned<OrtSessionOptions> options(raw, api_.ReleaseSessionOptions);
  runtime_.check(api_.SetIntraOpNumThreads(raw, plugin::share_of(lane, lane_count_, settings_.threads)),
                 "set its threads");
  runtime_.check(api_.SetInterOpNumThreads(raw, 1), "set its threads");
  runtime_.check(api_.SetSessionExecutionMode(raw, ORT_SEQUENTIAL), "set its execution mode");
  runtime_.check(api_.SetSessionGraphOptimizationLevel(
                     raw, is_optimised_ ? ORT_DISABLE_ALL : level_of(settings_.graph_optimization)),
                 "set its optimisation level");
  runtime_.check(api_.AddSessionConfigEntry(raw, "session.intra_op.allow_spinning", settings_.is_spinning ? "1" : "0"),
                 "set spinning");
  append_provider(runtime_, raw, settings_, packaged_ ? &*packaged_ : nullptr);
  // On ARM, fast math would compute products of f32 in bf16.
  runtime_.check(api_.AddSessionConfigEntry(raw, "mlas.enable_gemm_fastmath_arm64_bfloat16", "0"), "set f32");
  // Products of DequantizeLinear's weights would round what they multiply to 8 bits.
  runtime_.check(api_.AddSessionConfigEntry(raw, kWeightProducts, kInF32), "set f32");
  add_entries(runtime_, raw, settings_.entries);
  return options;
}

Owned<OrtSession> Session::make_session(std::size_t lane) const {
  const Owned<OrtSessionOptions> options = make_options(lane);
  if (lane == 0 && !kept_folder_.empty()) {
    const std::string kept = (kept_folder_ / kKeptModel).string();
    runtime_.check(api_.SetOptimizedModelFilePath(options.get(), kept.c_str()), "keep its optimised model");
    runtime_.check(api_.AddSessionConfigEntry(options.get(), "session.optimized_model_external_initializers_file_name",
                                              kKeptWeights),
                   "keep its weights");
  }
  OrtSession* session = nullptr;
  OrtStatus* const status = api_.CreateSession(environment_.get(), model_path_.c_str(), options.get(), &session);
  if (packaged_) check_options(runtime_, status, settings_.provider_options);  // it reads them only now
  runtime_.check(status, "compile the model");
  return {session, api_.ReleaseSession};
}

void Session::compile(const ngb_model& model) {
  model_path_ = model.path;
  // What other providers have compiled is no part of the file.
  if (plugin::keeps_file(model) && settings_.provider == "cpu") {
    kept_folder_ = model.artifact_path;
    std::error_code code;
    std::filesystem::create_directories(kept_folder_, code);  // the library says why it cannot write there
  }
  begin(model);
}

void Session::load(const ngb_model& model) {
  model_path_ = (std::filesystem::path(model.artifact_path) / kKeptModel).string();
  is_optimised_ = true;
  begin(model);
}

void Session::begin(const ngb_model& model) {
  session_ = make_session(0);
  for (std::size_t lane = 1; lane < lane_count_; ++lane) further_.push_back({make_session(lane)});
  check_inputs(inputs_of(runtime_, session_.get()), model);
  output_slots_ = outputs_of(runtime_, session_.get());
  facts_.insert(facts_.end(), {{"provider", provider_name(settings_.provider)},
                               {"device", gpu_ != nullptr ? "cuda"
                                          : packaged_     ? packaged_->device()
                                                          : "cpu"},
                               {"precision", "f32"},
                               {"threads", std::to_string(settings_.threads)},
                               {"sessions", std::to_string(lane_count_)},
                               {kWeightProducts, kInF32}});
  facts_.insert(facts_.end(), settings_.entries.begin(), settings_.entries.end());
  if (packaged_ && !packaged_->version().empty()) facts_.emplace_back("provider_version", packaged_->version());
  if (gpu_ == nullptr) return;
  facts_.emplace_back("device_name", gpu_->name());
  facts_.emplace_back("include_transfer", settings_.includes_transfer ? "true" : "false");
  facts_.emplace_back("wait", settings_.wait);
  use_gpu_memory();
}

void Session::use_gpu_memory() {
  OrtMemoryInfo* raw = nullptr;
  runtime_.check(api_.CreateMemoryInfo("Cuda", OrtDeviceAllocator, 0, OrtMemTypeDefault, &raw), "describe memory");
  const Owned<OrtMemoryInfo> memory(raw, api_.ReleaseMemoryInfo);
  OrtAllocator* allocator = nullptr;
  runtime_.check(api_.CreateAllocator(session_.get(), raw, &allocator), "use the GPU's memory");
  gpu_memory_.reset(allocator);
}

Owned<OrtValue> Session::make_value_on_gpu(const Slot& slot) const {
  OrtValue* value = nullptr;
  runtime_.check(api_.CreateTensorAsOrtValue(gpu_memory_.get(), slot.shape.data(), slot.shape.size(),
                                             element_type(slot.type), &value),
                 "allocate on the GPU");
  return {value, api_.ReleaseValue};
}

void* Session::data_of(OrtValue* value) const {
  void* data = nullptr;
  runtime_.check(api_.GetTensorMutableData(value, &data), "find a tensor's memory");
  return data;
}

Owned<OrtValue> Session::make_value(const Slot& slot, void* data) const {
  OrtValue* value = nullptr;
  runtime_.check(api_.CreateTensorWithDataAsOrtValue(memory_.get(), data, slot.bytes(), slot.shape.data(),
                                                     slot.shape.size(), element_type(slot.type), &value),
                 "wrap a tensor");
  return {value, api_.ReleaseValue};
}

void Session::bind(const ngb_tensor* inputs, std::uint32_t count) {
  is_feeding_ = false;
  growing_.clear();
  lanes_.reset();
  binding_.reset();
  inputs_.clear();
  input_names_.clear();
  outputs_.clear();
  transfer_.reset();
  if (gpu_ != nullptr && settings_.includes_transfer) transfer_ = std::make_unique<Transfer>(*gpu_);
  for (std::uint32_t i = 0; i < count; ++i) bind_input(inputs[i]);
  output_slots_ = outputs_of(runtime_, session_.get());
  trusts_shapes_ = slots_ == 1;
  for (const Slot& slot : output_slots_) trusts_shapes_ = trusts_shapes_ && slot.is_static();
  if (settings_.has_many_shapes && !trusts_shapes_) {
    for (Slot& slot : output_slots_) slot.can_be_bound = false;  // the library allocates them, as in a plain call
  } else if (!trusts_shapes_) {
    learn_output_shapes();
  }
  bind_outputs();
  if (settings_.provider != "cpu") prove_placement();
  if (slots_ > 1) bind_further();
}

void Session::bind_outputs() {
  binding_.reset();
  outputs_.clear();
  output_buffers_.clear();
  owned_buffers_.clear();
  for (const Slot& slot : output_slots_) bind_output(slot);
  binding_ = make_binding(session_.get(), outputs_);
  are_all_bound_ =
      std::all_of(output_slots_.begin(), output_slots_.end(), [](const Slot& slot) { return slot.can_be_bound; });
  if (!are_all_bound_) prepare_unbound();
}

void Session::prepare_unbound() {
  plain_inputs_.clear();
  plain_outputs_.clear();
  input_values_.clear();
  allocated_.clear();
  for (const std::string& name : input_names_) plain_inputs_.push_back(name.c_str());
  for (const Owned<OrtValue>& input : inputs_) input_values_.push_back(input.get());
  for (const Slot& slot : output_slots_) {
    plain_outputs_.push_back(slot.name.c_str());
    allocated_.emplace_back(nullptr, api_.ReleaseValue);
  }
  output_values_.resize(output_slots_.size());
}

void Session::bind_further() {
  if (!are_all_bound_) {
    throw plugin::Failure(NGB_INVALID_OPTION,
                          "onnxruntime has several inferences in flight only if each output is a tensor of the shape "
                          "that the file declares",
                          "remove in_flight");
  }
  for (Further& further : further_) {
    further.binding.reset();
    further.outputs.clear();
    further.buffers.clear();
    for (const Slot& slot : output_slots_) {
      further.buffers.emplace_back(allocated(slot.bytes()));
      further.outputs.push_back(make_value(slot, further.buffers.back().get()));
    }
    further.binding.emplace(make_binding(further.session.get(), further.outputs));
  }
  lanes_ = std::make_unique<plugin::Lanes>(lane_count_, slots_,
                                           [this](std::size_t lane, ngb_error* error) { return run_in(lane, error); });
}

ngb_status Session::run_in(std::size_t lane, ngb_error* error) {
  OrtSession* const session = lane == 0 ? session_.get() : further_[lane - 1].session.get();
  const OrtIoBinding* const binding = lane == 0 ? binding_.get() : further_[lane - 1].binding->get();
  OrtStatus* const status = api_.RunWithBinding(session, run_options_.get(), binding);
  if (status == nullptr) [[likely]]
    return NGB_OK;
  return plugin::guarded(error, [&] { runtime_.check(status, "run the model"); });
}

void Session::bind_input(const ngb_tensor& input) {
  input_names_.emplace_back(input.name);
  if (gpu_memory_ == nullptr) {
    inputs_.push_back(make_value(slot_from(input), input.data));
    return;
  }
  inputs_.push_back(make_value_on_gpu(slot_from(input)));
  void* const on_gpu = data_of(inputs_.back().get());
  gpu_->copy_in(on_gpu, input.data, input.size_bytes);
  if (transfer_ != nullptr) transfer_->add_input(on_gpu, input.data, input.size_bytes);
}

void Session::bind_output(const Slot& slot) {
  if (!slot.can_be_bound) {
    outputs_.emplace_back(nullptr, api_.ReleaseValue);
    output_buffers_.push_back(nullptr);
    return;
  }
  if (gpu_memory_ != nullptr) outputs_.push_back(make_value_on_gpu(slot));
  if (transfer_ != nullptr) {
    output_buffers_.push_back(transfer_->add_output(data_of(outputs_.back().get()), slot.bytes()));
    return;
  }
  owned_buffers_.emplace_back(allocated(slot.bytes()));
  output_buffers_.push_back(owned_buffers_.back().get());
  if (gpu_memory_ == nullptr) outputs_.push_back(make_value(slot, output_buffers_.back()));
}

OrtStatus* Session::run_otherwise() {
  if (is_feeding_) return run_and_feed();
  return transfer_ != nullptr ? run_with_transfer() : run_unbound();
}

OrtStatus* Session::run_unbound() {
  for (std::size_t i = 0; i < output_values_.size(); ++i) {
    allocated_[i].reset();
    output_values_[i] = outputs_[i].get();
  }
  OrtStatus* const status =
      api_.Run(session_.get(), run_options_.get(), plain_inputs_.data(), input_values_.data(), input_values_.size(),
               plain_outputs_.data(), plain_outputs_.size(), output_values_.data());
  for (std::size_t i = 0; i < output_values_.size(); ++i) {
    if (outputs_[i] == nullptr) allocated_[i].reset(output_values_[i]);
  }
  return status;
}

OrtStatus* Session::run_with_transfer() {
  copy_status_ = transfer_->copy_in();
  if (copy_status_ != 0) return api_.CreateStatus(ORT_FAIL, "a copy to the GPU failed");
  OrtStatus* status =
      are_all_bound_ ? api_.RunWithBinding(session_.get(), run_options_.get(), binding_.get()) : run_unbound();
  if (status == nullptr && are_all_bound_) status = api_.SynchronizeBoundOutputs(binding_.get());
  if (status != nullptr) return status;
  copy_status_ = transfer_->copy_out();
  return copy_status_ == 0 ? nullptr : api_.CreateStatus(ORT_FAIL, "a copy from the GPU failed");
}

void Session::fail(OrtStatus* status) {
  if (!trusts_shapes_ || copy_status_ != 0) return refuse(status);
  api_.ReleaseStatus(status);
  learn_output_shapes();
  bind_outputs();
  status = run();
  if (status != nullptr) refuse(status);
}

void Session::refuse(OrtStatus* status) const {
  if (copy_status_ == 0) return runtime_.check(status, "run the model");
  api_.ReleaseStatus(status);
  throw gpu_->failure("copying inputs or outputs", copy_status_);
}

// Returns a binding of the inputs. Outputs that are null or missing are allocated by the library.
Owned<OrtIoBinding> Session::make_binding(OrtSession* session, const std::vector<Owned<OrtValue>>& outputs) const {
  OrtIoBinding* raw = nullptr;
  runtime_.check(api_.CreateIoBinding(session, &raw), "make a binding");
  Owned<OrtIoBinding> binding(raw, api_.ReleaseIoBinding);
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    runtime_.check(api_.BindInput(raw, input_names_[i].c_str(), inputs_[i].get()), "bind an input");
  }
  for (std::size_t i = 0; i < output_slots_.size(); ++i) {
    const char* const name = output_slots_[i].name.c_str();
    const bool is_bound = i < outputs.size() && outputs[i] != nullptr;
    runtime_.check(
        is_bound ? api_.BindOutput(raw, name, outputs[i].get()) : api_.BindOutputToDevice(raw, name, memory_.get()),
        "bind an output");
  }
  return binding;
}

void Session::prove_placement() {
  const Owned<OrtSessionOptions> options = make_options();
  runtime_.check(api_.EnableProfiling(options.get(), "placement"), "begin a profile");
  OrtSession* raw = nullptr;
  runtime_.check(api_.CreateSession(environment_.get(), model_path_.c_str(), options.get(), &raw), "compile the model");
  const Owned<OrtSession> session(raw, api_.ReleaseSession);
  const Owned<OrtIoBinding> binding = make_binding(raw, outputs_);
  runtime_.check(api_.RunWithBinding(raw, run_options_.get(), binding.get()), "run the model");
  const std::filesystem::path path = end_library_profile(raw);
  std::ostringstream profile;
  profile << std::ifstream(path).rdbuf();
  std::error_code code;
  std::filesystem::remove(path, code);
  const Placement placement = read_placement(profile.str());
  const std::string wanted = provider_name(settings_.provider);
  facts_.emplace_back("placement", describe(placement, wanted));
  if (settings_.may_fall_back || is_all_on(placement, wanted)) return;
  throw plugin::Failure(NGB_FALLBACK,
                        "onnxruntime was told to run on " + wanted + " and runs on " + describe(placement, wanted),
                        "set allow_fallback for this compiler, or leave the model out");
}

}  // namespace ngb::onnxruntime
