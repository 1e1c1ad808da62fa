// SPDX-License-Identifier: Apache-2.0
#include "library.h"

#include <cstdlib>
#include <cstring>

namespace ngb::litert {
namespace {

using api::Handle;

ngb_status kind_of(api::Status status) {
  if (status == api::kMemoryAllocationFailure) return NGB_OUT_OF_MEMORY;
  if (status == api::kUnsupported || status == api::kCompilation) return NGB_UNSUPPORTED_OPERATOR;
  return NGB_COMPILER_FAILED;
}

}  // namespace

Runtime::Runtime(const std::string& toolchain_dir)
    : library_(plugin::find_library(toolchain_dir, "ai_edge_litert", "libLiteRt.so", "litert")),
      run_(library_.function<Run>("LiteRtRunCompiledModel")) {
  // By default the environment opens libraries for GPUs.
  const api::TaggedValue cpu_only{api::kAutoRegisterTag, {api::kIntegerValue, api::kCpu}};
  Handle environment = nullptr;
  call<int, const api::TaggedValue*, Handle*>("LiteRtCreateEnvironment", "start", 1, &cpu_only, &environment);
  environment_ = owned(environment, "LiteRtDestroyEnvironment");
}

void Runtime::check(api::Status status, const char* doing) const {
  if (status == 0) return;
  const ngb_status kind = kind_of(status);
  throw plugin::Failure(kind,
                        std::string("LiteRT cannot ") + doing + " (its status " + std::to_string(status) +
                            "); its words are in the log of this attempt",
                        kind == NGB_UNSUPPORTED_OPERATOR ? "leave this model out for litert" : "");
}

Owned Runtime::owned(Handle object, const char* destroy) const {
  return {object, library_.function<void (*)(Handle)>(destroy)};
}

Owned Runtime::model_of(const std::string& path) const {
  Handle model = nullptr;
  call<Handle, const char*, Handle*>("LiteRtCreateModelFromFile", "load the model", environment_.get(), path.c_str(),
                                     &model);
  return owned(model, "LiteRtDestroyModel");
}

Handle Runtime::signature_of(Handle model) const {
  Handle signature = nullptr;
  call<Handle, std::size_t, Handle*>("LiteRtGetModelSignature", "name the model's inputs", model, 0, &signature);
  return signature;
}

Slot Runtime::slot_of(Handle signature, std::size_t index, const char* name, const char* tensor) const {
  const char* key = nullptr;
  call<Handle, std::size_t, const char**>(name, "name the model's inputs and outputs", signature, index, &key);
  Handle described = nullptr;
  call<Handle, std::size_t, Handle*>(tensor, "describe the model's inputs and outputs", signature, index, &described);
  Slot slot{.key = key, .type = {}};
  call<Handle, api::TensorType*>("LiteRtGetRankedTensorType", "describe the model's inputs and outputs", described,
                                 &slot.type);
  return slot;
}

std::vector<Slot> Runtime::slots_of(Handle model, const SlotFunctions& names) const {
  Handle const signature = signature_of(model);
  std::size_t count = 0;
  call<Handle, std::size_t*>(names.count, "count the model's inputs and outputs", signature, &count);
  std::vector<Slot> slots;
  for (std::size_t i = 0; i < count; ++i) slots.push_back(slot_of(signature, i, names.name, names.tensor));
  return slots;
}

std::vector<Slot> Runtime::inputs_of(Handle model) const {
  return slots_of(
      model, {"LiteRtGetNumSignatureInputs", "LiteRtGetSignatureInputName", "LiteRtGetSignatureInputTensorByIndex"});
}

std::vector<Slot> Runtime::outputs_of(Handle model) const {
  return slots_of(
      model, {"LiteRtGetNumSignatureOutputs", "LiteRtGetSignatureOutputName", "LiteRtGetSignatureOutputTensorByIndex"});
}

// LiteRT reads groups of options as text in TOML, each under an identifier.
void Runtime::add_text(Handle options, const char* identifier, const std::string& text) const {
  char* const copy = ::strdup(text.c_str());  // which LiteRT frees
  Handle group = nullptr;
  call<const char*, void*, void (*)(void*), Handle*>("LiteRtCreateOpaqueOptions", "set its options", identifier, copy,
                                                     std::free, &group);
  call<Handle, Handle>("LiteRtAddOpaqueOptions", "set its options", options, group);
}

Owned Runtime::prepare(Handle model, const Preparation& how) const {
  Handle options = nullptr;
  call<Handle*>("LiteRtCreateOptions", "set its options", &options);
  const Owned owner = owned(options, "LiteRtDestroyOptions");
  call<Handle, int>("LiteRtSetOptionsHardwareAccelerators", "set its options", options, api::kCpu);
  std::string text = std::string("kernel_mode = \"") + (how.has_delegate ? "delegate" : "builtin") +
                     "\"\nnum_threads = " + std::to_string(how.threads) + "\n";
  if (how.is_half) text += "flags = " + std::to_string(api::kQuantised | api::kForceHalf) + "\n";
  add_text(options, "xnnpack", text);
  if (how.is_profiled) add_text(options, "runtime_options_string", "enable_profiling = true\n");
  Handle prepared = nullptr;
  call<Handle, Handle, Handle, Handle*>("LiteRtCreateCompiledModel", "prepare the model", environment_.get(), model,
                                        options, &prepared);
  return owned(prepared, "LiteRtDestroyCompiledModel");
}

bool Runtime::is_fully_delegated(Handle prepared) const {
  bool is_full = false;
  call<Handle, bool*>("LiteRtCompiledModelIsFullyAccelerated", "tell what is delegated", prepared, &is_full);
  return is_full;
}

Owned Runtime::buffer_of(Handle prepared, std::size_t index, const api::TensorType& type,
                         const char* requirements) const {
  Handle wanted = nullptr;
  call<Handle, std::size_t, std::size_t, Handle*>(requirements, "tell which memory it needs", prepared, 0, index,
                                                  &wanted);
  Handle buffer = nullptr;
  call<Handle, const api::TensorType*, Handle, Handle*>("LiteRtCreateManagedTensorBufferFromRequirements",
                                                        "allocate memory", environment_.get(), &type, wanted, &buffer);
  return owned(buffer, "LiteRtDestroyTensorBuffer");
}

Owned Runtime::input_buffer(Handle prepared, std::size_t index, const api::TensorType& type) const {
  return buffer_of(prepared, index, type, "LiteRtGetCompiledModelInputBufferRequirements");
}

Owned Runtime::output_buffer(Handle prepared, std::size_t index, const api::TensorType& type) const {
  return buffer_of(prepared, index, type, "LiteRtGetCompiledModelOutputBufferRequirements");
}

void Runtime::write(Handle buffer, const void* data, std::size_t bytes) const {
  void* address = nullptr;
  call<Handle, void**, int>("LiteRtLockTensorBuffer", "set an input", buffer, &address, api::kWriteLock);
  std::memcpy(address, data, bytes);
  call<Handle>("LiteRtUnlockTensorBuffer", "set an input", buffer);
}

void Runtime::read(Handle buffer, void* data, std::size_t bytes) const {
  void* address = nullptr;
  call<Handle, void**, int>("LiteRtLockTensorBuffer", "read an output", buffer, &address, api::kReadLock);
  std::memcpy(data, address, bytes);
  call<Handle>("LiteRtUnlockTensorBuffer", "read an output", buffer);
}

Handle Runtime::profiler_of(Handle prepared) const {
  Handle profiler = nullptr;
  call<Handle, Handle*>("LiteRtCompiledModelGetProfiler", "find its profiler", prepared, &profiler);
  return profiler;
}

void Runtime::start_profile(Handle prepared) const {
  call<Handle>("LiteRtStartProfiler", "begin a profile", profiler_of(prepared));
}

std::vector<api::Event> Runtime::stop_profile(Handle prepared) const {
  Handle const profiler = profiler_of(prepared);
  call<Handle>("LiteRtStopProfiler", "end a profile", profiler);
  int count = 0;
  call<Handle, int*>("LiteRtGetNumProfilerEvents", "end a profile", profiler, &count);
  std::vector<api::Event> events(static_cast<std::size_t>(count));
  if (count > 0) {
    call<Handle, int, api::Event*>("LiteRtGetProfilerEvents", "end a profile", profiler, count, events.data());
  }
  return events;
}

}  // namespace ngb::litert
