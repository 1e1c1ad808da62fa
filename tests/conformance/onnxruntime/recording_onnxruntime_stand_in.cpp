// SPDX-License-Identifier: Apache-2.0
// Not ONNX Runtime: a stand-in for its library with the CUDA provider, for tests on machines without a GPU. Its model
// doubles x [2, 3] into y. It writes calls down in the log of the CUDA stand-in. As in ONNX Runtime, an input in the
// CPU's memory is copied to the GPU when it is bound, and never again; outputs are there once they were waited for.
// RECORDING_ONNXRUNTIME_STAND_IN_FAILS: the message with which every inference fails.
#include <dlfcn.h>
#include <onnxruntime_c_api.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

struct OrtStatus {
  OrtErrorCode code;
  std::string message;
};
struct OrtEnv {};
struct OrtRunOptions {};
struct OrtMemoryInfo {
  bool is_on_gpu;
};
struct OrtTensorTypeAndShapeInfo {};
struct OrtTypeInfo {
  OrtTensorTypeAndShapeInfo tensor;
};
struct OrtSessionOptions {
  bool has_profile = false;
};
struct OrtSession {
  bool has_profile = false;
};
struct OrtCUDAProviderOptionsV2 {};
struct OrtValue {
  void* data;
  bool is_on_gpu;
};
struct OrtIoBinding {
  float* input = nullptr;  // on the GPU
  const OrtValue* output = nullptr;
};

namespace {

constexpr std::size_t kElements = 6;
constexpr std::size_t kBytes = kElements * sizeof(float);

template <class Function>
Function* of_cuda(const char* name) {
  static void* const library = ::dlopen("libcuda.so.1", RTLD_NOW);
  return reinterpret_cast<Function*>(::dlsym(library, name));
}
void note(const std::string& text) { of_cuda<void(const char*)>("recording_stand_in_note")(text.c_str()); }

void* allocate_on_gpu(std::size_t bytes) {
  std::uint64_t address = 0;
  of_cuda<int(std::uint64_t*, std::size_t)>("cuMemAlloc_v2")(&address, bytes);
  return reinterpret_cast<void*>(address);
}

// The bindings whose results are there only after they were waited for.
std::vector<const OrtIoBinding*>& pending() {
  static std::vector<const OrtIoBinding*> all;
  return all;
}

OrtAllocator& own_allocator() {
  static OrtAllocator only{ORT_API_VERSION, [](OrtAllocator*, std::size_t bytes) { return std::malloc(bytes); },
                           [](OrtAllocator*, void* memory) { std::free(memory); }, nullptr, nullptr};
  return only;
}

char* text_of(OrtAllocator* allocator, const char* text) {
  char* const made = static_cast<char*>(allocator->Alloc(allocator, std::strlen(text) + 1));
  return std::strcpy(made, text);
}

template <class Type>
OrtStatus* make(Type** made) noexcept {
  *made = new Type{};
  return nullptr;
}
template <class Type>
void release(Type* object) noexcept {
  delete object;
}

OrtStatus* bind_input(OrtIoBinding* binding, const char* name, const OrtValue* value) noexcept {
  note(std::string("BindInput ") + name + (value->is_on_gpu ? "" : " from the CPU's memory"));
  binding->input = static_cast<float*>(value->data);
  if (value->is_on_gpu) return nullptr;
  binding->input = static_cast<float*>(allocate_on_gpu(kBytes));
  std::memcpy(binding->input, value->data, kBytes);
  return nullptr;
}

OrtStatus* run_with_binding(OrtSession*, const OrtRunOptions*, const OrtIoBinding* binding) noexcept {
  note("RunWithBinding");
  const char* const fails = std::getenv("RECORDING_ONNXRUNTIME_STAND_IN_FAILS");
  if (fails != nullptr) return new OrtStatus{ORT_FAIL, fails};
  pending().push_back(binding);
  return nullptr;
}

OrtStatus* synchronize_outputs(OrtIoBinding*) noexcept {
  note("SynchronizeBoundOutputs");
  for (const OrtIoBinding* const binding : pending()) {
    std::transform(binding->input, binding->input + kElements, static_cast<float*>(binding->output->data),
                   [](float value) { return 2 * value; });
  }
  pending().clear();
  return nullptr;
}

OrtStatus* end_profiling(OrtSession* session, OrtAllocator* allocator, char** name) noexcept {
  pending().clear();
  const std::string path = "stand-in-placement.json";
  if (session->has_profile) {
    std::ofstream(path) << R"([{"cat": "Node", "args": {"provider": "CUDAExecutionProvider", "op_name": "Mul"}}])";
  }
  *name = text_of(allocator, path.c_str());
  return nullptr;
}

void add_objects(OrtApi& api) {
  api.CreateStatus = [](OrtErrorCode code, const char* text) noexcept { return new OrtStatus{code, text}; };
  api.GetErrorCode = [](const OrtStatus* status) noexcept { return status->code; };
  api.GetErrorMessage = [](const OrtStatus* status) noexcept { return status->message.c_str(); };
  api.ReleaseStatus = release<OrtStatus>;
  api.CreateEnv = [](OrtLoggingLevel, const char*, OrtEnv** made) noexcept { return make(made); };
  api.ReleaseEnv = release<OrtEnv>;
  api.CreateRunOptions = make<OrtRunOptions>;
  api.ReleaseRunOptions = release<OrtRunOptions>;
  api.CreateSessionOptions = make<OrtSessionOptions>;
  api.ReleaseSessionOptions = release<OrtSessionOptions>;
  api.ReleaseMemoryInfo = release<OrtMemoryInfo>;
  api.ReleaseTypeInfo = release<OrtTypeInfo>;
  api.ReleaseValue = release<OrtValue>;
  api.ReleaseIoBinding = release<OrtIoBinding>;
  api.ReleaseSession = release<OrtSession>;
  api.CreateCUDAProviderOptions = make<OrtCUDAProviderOptionsV2>;
  api.ReleaseCUDAProviderOptions = release<OrtCUDAProviderOptionsV2>;
  api.ReleaseAllocator = [](OrtAllocator*) noexcept {};
}

void add_options(OrtApi& api) {
  api.GetAvailableProviders = [](char*** names, int* count) noexcept -> OrtStatus* {
    static char name[] = "CUDAExecutionProvider";
    static char* all[] = {name};
    *names = all;
    *count = 1;
    return nullptr;
  };
  api.ReleaseAvailableProviders = [](char**, int) noexcept -> OrtStatus* { return nullptr; };
  api.SetIntraOpNumThreads = [](OrtSessionOptions*, int) noexcept -> OrtStatus* { return nullptr; };
  api.SetInterOpNumThreads = [](OrtSessionOptions*, int) noexcept -> OrtStatus* { return nullptr; };
  api.SetSessionExecutionMode = [](OrtSessionOptions*, ExecutionMode) noexcept -> OrtStatus* { return nullptr; };
  api.SetSessionGraphOptimizationLevel = [](OrtSessionOptions*, GraphOptimizationLevel) noexcept -> OrtStatus* {
    return nullptr;
  };
  api.AddSessionConfigEntry = [](OrtSessionOptions*, const char*, const char*) noexcept -> OrtStatus* {
    return nullptr;
  };
  api.EnableProfiling = [](OrtSessionOptions* options, const char*) noexcept -> OrtStatus* {
    options->has_profile = true;
    return nullptr;
  };
  api.UpdateCUDAProviderOptions = [](OrtCUDAProviderOptionsV2*, const char* const* keys, const char* const* values,
                                     std::size_t count) noexcept -> OrtStatus* {
    for (std::size_t i = 0; i < count; ++i) note(std::string(keys[i]) + "=" + values[i]);
    return nullptr;
  };
  api.SessionOptionsAppendExecutionProvider_CUDA_V2 =
      [](OrtSessionOptions*, const OrtCUDAProviderOptionsV2*) noexcept -> OrtStatus* { return nullptr; };
}

void add_memory(OrtApi& api) {
  api.CreateCpuMemoryInfo = [](OrtAllocatorType, OrtMemType, OrtMemoryInfo** made) noexcept -> OrtStatus* {
    *made = new OrtMemoryInfo{false};
    return nullptr;
  };
  api.CreateMemoryInfo = [](const char* name, OrtAllocatorType, int, OrtMemType,
                            OrtMemoryInfo** made) noexcept -> OrtStatus* {
    *made = new OrtMemoryInfo{std::string(name) == "Cuda"};
    return nullptr;
  };
  api.CreateAllocator = [](const OrtSession*, const OrtMemoryInfo*, OrtAllocator** made) noexcept -> OrtStatus* {
    *made = &own_allocator();
    return nullptr;
  };
  api.GetAllocatorWithDefaultOptions = [](OrtAllocator** found) noexcept -> OrtStatus* {
    *found = &own_allocator();
    return nullptr;
  };
  api.AllocatorFree = [](OrtAllocator* allocator, void* memory) noexcept -> OrtStatus* {
    allocator->Free(allocator, memory);
    return nullptr;
  };
  api.CreateTensorAsOrtValue = [](OrtAllocator*, const std::int64_t*, std::size_t, ONNXTensorElementDataType,
                                  OrtValue** made) noexcept -> OrtStatus* {
    *made = new OrtValue{allocate_on_gpu(kBytes), true};
    return nullptr;
  };
  api.CreateTensorWithDataAsOrtValue = [](const OrtMemoryInfo*, void* data, std::size_t, const std::int64_t*,
                                          std::size_t, ONNXTensorElementDataType,
                                          OrtValue** made) noexcept -> OrtStatus* {
    *made = new OrtValue{data, false};
    return nullptr;
  };
  api.GetTensorMutableData = [](OrtValue* value, void** data) noexcept -> OrtStatus* {
    *data = value->data;
    return nullptr;
  };
}

template <char kName>
OrtStatus* name_of(const OrtSession*, std::size_t, OrtAllocator* allocator, char** name) noexcept {
  const char text[] = {kName, '\0'};
  *name = text_of(allocator, text);
  return nullptr;
}
OrtStatus* one(const OrtSession*, std::size_t* count) noexcept {
  *count = 1;
  return nullptr;
}
OrtStatus* type_of(const OrtSession*, std::size_t, OrtTypeInfo** made) noexcept { return make(made); }

void add_model(OrtApi& api) {
  api.CreateSession = [](const OrtEnv*, const char*, const OrtSessionOptions* options,
                         OrtSession** made) noexcept -> OrtStatus* {
    *made = new OrtSession{options->has_profile};
    return nullptr;
  };
  api.SessionGetInputCount = one;
  api.SessionGetOutputCount = one;
  api.SessionGetInputName = name_of<'x'>;
  api.SessionGetOutputName = name_of<'y'>;
  api.SessionGetInputTypeInfo = type_of;
  api.SessionGetOutputTypeInfo = type_of;
  api.CastTypeInfoToTensorInfo = [](const OrtTypeInfo* type,
                                    const OrtTensorTypeAndShapeInfo** tensor) noexcept -> OrtStatus* {
    *tensor = &type->tensor;
    return nullptr;
  };
  api.GetTensorElementType = [](const OrtTensorTypeAndShapeInfo*,
                                ONNXTensorElementDataType* type) noexcept -> OrtStatus* {
    *type = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
    return nullptr;
  };
  api.GetDimensionsCount = [](const OrtTensorTypeAndShapeInfo*, std::size_t* rank) noexcept -> OrtStatus* {
    *rank = 2;
    return nullptr;
  };
  api.GetDimensions = [](const OrtTensorTypeAndShapeInfo*, std::int64_t* shape, std::size_t) noexcept -> OrtStatus* {
    shape[0] = 2;
    shape[1] = 3;
    return nullptr;
  };
  api.CreateIoBinding = [](OrtSession*, OrtIoBinding** made) noexcept { return make(made); };
  api.BindInput = bind_input;
  api.BindOutput = [](OrtIoBinding* binding, const char*, const OrtValue* value) noexcept -> OrtStatus* {
    binding->output = value;
    return nullptr;
  };
  api.BindOutputToDevice = [](OrtIoBinding*, const char*, const OrtMemoryInfo*) noexcept -> OrtStatus* {
    return nullptr;
  };
  api.RunWithBinding = run_with_binding;
  api.SynchronizeBoundOutputs = synchronize_outputs;
  api.SessionEndProfiling = end_profiling;
}

const OrtApi* api_of(std::uint32_t) noexcept {
  static const OrtApi api = [] {
    OrtApi made{};
    add_objects(made);
    add_options(made);
    add_memory(made);
    add_model(made);
    return made;
  }();
  return &api;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const OrtApiBase* OrtGetApiBase() noexcept {
  static const OrtApiBase base{api_of, []() noexcept { return "1.31.1"; }};
  return &base;
}
