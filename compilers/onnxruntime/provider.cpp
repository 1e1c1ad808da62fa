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

constexpr const char* kPrefix = "provider.";  // of the settings that are a provider's options

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

// The providers that are part of a build of ONNX Runtime. Builds with openvino end with 1.24.1.
constexpr std::array<Provider, 4> kProviders{{{"cpu", "CPUExecutionProvider", "onnxruntime"},
                                              {"openvino", "OpenVINOExecutionProvider", "onnxruntime-openvino"},
                                              {"cuda", "CUDAExecutionProvider", "onnxruntime-gpu", true},
                                              {"tensorrt", "TensorrtExecutionProvider", "onnxruntime-gpu", true}}};

const Provider& row_of(const std::string& word) {
  const auto row =
      std::find_if(kProviders.begin(), kProviders.end(), [&](const auto& each) { return each.word == word; });
  return row == kProviders.end() ? kProviders.front() : *row;
}

// Names and values in the form of ONNX Runtime's C API: ours, then those that the study hands on.
class ProviderOptions {
 public:
  ProviderOptions(plugin::LibrarySettings ours, const plugin::LibrarySettings& handed_on) : all_(std::move(ours)) {
    all_.insert(all_.end(), handed_on.begin(), handed_on.end());
    for (const auto& [name, value] : all_) {
      names_.push_back(name.c_str());
      values_.push_back(value.c_str());
    }
  }
  [[nodiscard]] const char* const* names() const { return names_.data(); }
  [[nodiscard]] const char* const* values() const { return values_.data(); }
  [[nodiscard]] std::size_t size() const { return all_.size(); }

 private:
  plugin::LibrarySettings all_;
  std::vector<const char*> names_;
  std::vector<const char*> values_;
};

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
  const ProviderOptions all(
      {{"device_type", "CPU"}, {"precision", "FP32"}, {"num_of_threads", threads}, {"num_streams", "1"}},
      settings.provider_options);
  OrtStatus* const status =
      api.SessionOptionsAppendExecutionProvider_OpenVINO_V2(options, all.names(), all.values(), all.size());
  check_options(runtime, status, settings.provider_options);
  runtime.check(status, "use the provider openvino");
}

// Appends CUDA without TF32, which products and convolutions of f32 use by default.
void append_cuda(const Runtime& runtime, OrtSessionOptions* options, const plugin::LibrarySettings& handed_on) {
  const OrtApi& api = runtime.api();
  OrtCUDAProviderOptionsV2* raw = nullptr;
  check_provider(runtime, api.CreateCUDAProviderOptions(&raw), "cuda");
  const Owned<OrtCUDAProviderOptionsV2> owned(raw, api.ReleaseCUDAProviderOptions);
  const ProviderOptions all({{"device_id", "0"}, {"use_tf32", "0"}}, handed_on);
  OrtStatus* const status = api.UpdateCUDAProviderOptions(raw, all.names(), all.values(), all.size());
  check_options(runtime, status, handed_on);
  check_provider(runtime, status, "cuda");
  check_provider(runtime, api.SessionOptionsAppendExecutionProvider_CUDA_V2(options, raw), "cuda");
}

// Appends TensorRT, cold and in f32. There is no option for TF32; forbid_tf32() replaces it.
void append_tensorrt(const Runtime& runtime, OrtSessionOptions* options, const plugin::LibrarySettings& handed_on) {
  const OrtApi& api = runtime.api();
  OrtTensorRTProviderOptionsV2* raw = nullptr;
  check_provider(runtime, api.CreateTensorRTProviderOptions(&raw), "tensorrt");
  const Owned<OrtTensorRTProviderOptionsV2> owned(raw, api.ReleaseTensorRTProviderOptions);
  const ProviderOptions all({{"device_id", "0"},
                             {"trt_fp16_enable", "0"},
                             {"trt_engine_cache_enable", "0"},
                             {"trt_timing_cache_enable", "0"}},
                            handed_on);
  OrtStatus* const status = api.UpdateTensorRTProviderOptions(raw, all.names(), all.values(), all.size());
  check_options(runtime, status, handed_on);
  check_provider(runtime, status, "tensorrt");
  check_provider(runtime, api.SessionOptionsAppendExecutionProvider_TensorRT_V2(options, raw), "tensorrt");
}

}  // namespace

void check_options(const Runtime& runtime, OrtStatus* status, const plugin::LibrarySettings& handed_on) {
  if (status == nullptr || handed_on.empty()) return;
  const std::string message = runtime.api().GetErrorMessage(status);
  for (const auto& [name, value] : handed_on) {
    if (message.find(name) == std::string::npos) continue;
    runtime.api().ReleaseStatus(status);
    throw plugin::refused_setting("onnxruntime", std::string(kPrefix) + name, value, message);
  }
}

std::string provider_name(const std::string& word) {
  const ProviderPackage* const package = provider_package(word);
  return package != nullptr ? package->name : std::string(row_of(word).name);
}

bool is_on_gpu(const std::string& word) { return row_of(word).is_on_gpu; }

void forbid_tf32() { ::setenv("NVIDIA_TF32_OVERRIDE", "0", 1); }

std::filesystem::path find_provider(const Runtime& runtime, const Settings& settings) {
  const ProviderPackage* const package = provider_package(settings.provider);
  if (package != nullptr) {
    std::filesystem::path library = library_of(*package, settings.toolchain_dir);
    if (!library.empty()) return library;
  }
  const std::vector<std::string> available = available_providers(runtime);
  const std::string name = provider_name(settings.provider);
  if (std::find(available.begin(), available.end(), name) != available.end()) return {};
  std::string list;
  for (const std::string& each : available) list += (list.empty() ? "" : ", ") + each;
  const bool is_beside = package != nullptr;
  const std::string wanted(is_beside ? package->package : row_of(settings.provider).package);
  throw plugin::Failure(NGB_TOOLCHAIN_MISSING,
                        "this ONNX Runtime " + runtime.version() + " has no " + name + " (it has " + list + ")" +
                            (is_beside ? ", and there is no package " + wanted + " beside it" : ""),
                        "put " +
                            (is_beside ? "onnxruntime and " + wanted : "the package that has it, " + wanted + ",") +
                            " into a virtual environment and adopt that: ngb toolchain adopt onnxruntime FOLDER");
}

void append_provider(const Runtime& runtime, OrtSessionOptions* options, const Settings& settings,
                     const PackagedProvider* packaged) {
  const plugin::LibrarySettings& handed_on = settings.provider_options;
  if (settings.provider == "cpu" && !handed_on.empty()) {
    const auto& [name, value] = handed_on.front();
    throw plugin::refused_setting("onnxruntime", std::string(kPrefix) + name, value, "the provider cpu has no options");
  }
  if (packaged != nullptr) {
    OrtStatus* const status = packaged->append(options, settings);
    check_options(runtime, status, handed_on);
    return runtime.check(status, ("use the provider " + settings.provider).c_str());
  }
  if (settings.provider == "openvino") append_openvino(runtime, options, settings);
  if (settings.provider == "tensorrt") append_tensorrt(runtime, options, handed_on);
  // CUDA runs what TensorRT leaves, if the study allows that.
  if (settings.provider == "tensorrt") append_cuda(runtime, options, {});
  if (settings.provider == "cuda") append_cuda(runtime, options, handed_on);
}

}  // namespace ngb::onnxruntime
