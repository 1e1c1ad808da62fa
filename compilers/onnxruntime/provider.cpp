// SPDX-License-Identifier: Apache-2.0
#include "provider.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "errors.h"

namespace ngb::onnxruntime {
namespace {

// SessionOptionsAppendExecutionProvider_OpenVINO_V2 exists since this version.
constexpr std::uint32_t kOpenVinoApiVersion = 17;

std::vector<std::string> available_providers(const Runtime& runtime) {
  char** names = nullptr;
  int count = 0;
  runtime.check(runtime.api().GetAvailableProviders(&names, &count), "list its providers");
  std::vector<std::string> all(names, names + count);
  runtime.check(runtime.api().ReleaseAvailableProviders(names, count), "list its providers");
  return all;
}

struct Provider {
  std::string_view word;
  std::string_view name;
  std::string_view package;  // package that contains it
  bool is_on_gpu = false;
};

constexpr std::array<Provider, 4> kProviders{{{"cpu", "CPUExecutionProvider", "onnxruntime"},
                                              {"openvino", "OpenVINOExecutionProvider", "onnxruntime-openvino"},
                                              {"cuda", "CUDAExecutionProvider", "onnxruntime-gpu", true},
                                              {"tensorrt", "TensorrtExecutionProvider", "onnxruntime-gpu", true}}};

const Provider& row_of(const std::string& word) {
  const auto row =
      std::find_if(kProviders.begin(), kProviders.end(), [&](const auto& each) { return each.word == word; });
  return row == kProviders.end() ? kProviders.front() : *row;
}

// A GPU provider's first call opens CUDA libraries, which are not part of its package.
void check_provider(const Runtime& runtime, OrtStatus* status, const std::string& word) {
  if (status == nullptr) return;
  const std::string message = runtime.api().GetErrorMessage(status);
  if (message.find("Failed to load") == std::string::npos && message.find("shared object") == std::string::npos) {
    return runtime.check(status, ("use the provider " + word).c_str());
  }
  runtime.api().ReleaseStatus(status);
  throw plugin::Failure(
      NGB_IMPORT_ERROR, "onnxruntime's provider " + word + " does not load: " + message,
      "install what it needs into the virtual environment: onnxruntime-gpu[cuda,cudnn], and TensorRT's "
      "libraries for tensorrt");
}

// Appends the provider in f32 and with one stream, as the compiler of that name runs.
void append_openvino(const Runtime& runtime, OrtSessionOptions* options, const Settings& settings) {
  const OrtApi& api = runtime.api_of(kOpenVinoApiVersion);
  const std::string threads = std::to_string(settings.threads);
  const std::array<const char*, 4> keys{"device_type", "precision", "num_of_threads", "num_streams"};
  const std::array<const char*, 4> values{"CPU", "FP32", threads.c_str(), "1"};
  runtime.check(api.SessionOptionsAppendExecutionProvider_OpenVINO_V2(options, keys.data(), values.data(), keys.size()),
                "use the provider openvino");
}

// Appends CUDA without TF32, which products and convolutions of f32 use by default.
void append_cuda(const Runtime& runtime, OrtSessionOptions* options) {
  const OrtApi& api = runtime.api();
  OrtCUDAProviderOptionsV2* raw = nullptr;
  check_provider(runtime, api.CreateCUDAProviderOptions(&raw), "cuda");
  const Owned<OrtCUDAProviderOptionsV2> owned(raw, api.ReleaseCUDAProviderOptions);
  constexpr std::array<const char*, 2> kKeys{"device_id", "use_tf32"};
  constexpr std::array<const char*, 2> kValues{"0", "0"};
  check_provider(runtime, api.UpdateCUDAProviderOptions(raw, kKeys.data(), kValues.data(), kKeys.size()), "cuda");
  check_provider(runtime, api.SessionOptionsAppendExecutionProvider_CUDA_V2(options, raw), "cuda");
}

// Appends TensorRT, cold and in f32. There is no option for TF32; forbid_tf32() replaces it.
void append_tensorrt(const Runtime& runtime, OrtSessionOptions* options) {
  const OrtApi& api = runtime.api();
  OrtTensorRTProviderOptionsV2* raw = nullptr;
  check_provider(runtime, api.CreateTensorRTProviderOptions(&raw), "tensorrt");
  const Owned<OrtTensorRTProviderOptionsV2> owned(raw, api.ReleaseTensorRTProviderOptions);
  constexpr std::array<const char*, 4> kKeys{"device_id", "trt_fp16_enable", "trt_engine_cache_enable",
                                             "trt_timing_cache_enable"};
  constexpr std::array<const char*, 4> kValues{"0", "0", "0", "0"};
  check_provider(runtime, api.UpdateTensorRTProviderOptions(raw, kKeys.data(), kValues.data(), kKeys.size()),
                 "tensorrt");
  check_provider(runtime, api.SessionOptionsAppendExecutionProvider_TensorRT_V2(options, raw), "tensorrt");
}

}  // namespace

std::string provider_name(const std::string& word) { return std::string(row_of(word).name); }

bool is_on_gpu(const std::string& word) { return row_of(word).is_on_gpu; }

void forbid_tf32() { ::setenv("NVIDIA_TF32_OVERRIDE", "0", 1); }

void require_provider(const Runtime& runtime, const std::string& word) {
  const std::vector<std::string> available = available_providers(runtime);
  if (std::find(available.begin(), available.end(), provider_name(word)) != available.end()) return;
  std::string list;
  for (const std::string& name : available) list += (list.empty() ? "" : ", ") + name;
  throw plugin::Failure(
      NGB_TOOLCHAIN_MISSING,
      "this ONNX Runtime " + runtime.version() + " has no " + provider_name(word) + " (it has " + list + ")",
      "put the package that has it, " + std::string(row_of(word).package) +
          ", into a virtual environment and adopt that: ngb toolchain adopt onnxruntime FOLDER");
}

void append_provider(const Runtime& runtime, OrtSessionOptions* options, const Settings& settings) {
  if (settings.provider == "openvino") append_openvino(runtime, options, settings);
  if (settings.provider == "tensorrt") append_tensorrt(runtime, options);
  // CUDA runs what TensorRT leaves, if the study allows that.
  if (is_on_gpu(settings.provider)) append_cuda(runtime, options);
}

}  // namespace ngb::onnxruntime
