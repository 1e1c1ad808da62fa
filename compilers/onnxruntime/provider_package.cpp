// SPDX-License-Identifier: Apache-2.0
#include "provider_package.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <system_error>
#include <vector>

#include "base/json_text.h"
#include "errors.h"

namespace ngb::onnxruntime {
namespace fs = std::filesystem;

namespace {

constexpr std::array<ProviderPackage, 4> kPackages{
    {{.word = "openvino",
      .name = "OpenVINOExecutionProvider",
      .package = "onnxruntime-ep-openvino",
      .folder = "onnxruntime_ep_openvino",
      .library = "libonnxruntime_providers_openvino_plugin.so",
      .runs_on = "Intel's processors; the compiler openvino runs on others, too",
      .is_for_processors = true},
     {.word = "nv-tensorrt-rtx",
      .name = "NvTensorRTRTXExecutionProvider",
      .package = "onnxruntime-ep-nv-tensorrt-rtx",
      .folder = "onnxruntime_ep_nv_tensorrt_rtx",
      .library = "libonnxruntime_providers_nv_tensorrt_rtx.so",
      .runs_on = "NVIDIA's RTX GPUs"},
     {.word = "qnn",
      .name = "QNNExecutionProvider",
      .package = "onnxruntime-qnn",
      .folder = "onnxruntime_qnn",
      .library = "libonnxruntime_providers_qnn.so",
      .runs_on = "Qualcomm's NPUs, which it simulates on other processors"},
     {.word = "webgpu",
      .name = "WebGpuExecutionProvider",
      .package = "onnxruntime-ep-webgpu",
      .folder = "onnxruntime_ep_webgpu",
      .library = "libonnxruntime_providers_webgpu.so",
      .runs_on = "GPUs that Vulkan drives"}}};

const char* word_of(HardwareType type) {
  if (type == HardwareType::gpu) return "gpu";
  return type == HardwareType::npu ? "npu" : "cpu";
}

// The provider's own options are ignored; OpenVINO's properties count, and by itself it would
// compute in bf16, and products with quantised weights in 8-bit integers.
plugin::LibrarySettings options_of_openvino(const Settings& settings) {
  nlohmann::json properties{{"INFERENCE_PRECISION_HINT", "f32"},
                            {"INFERENCE_NUM_THREADS", settings.threads},
                            {"NUM_STREAMS", 1},
                            {"DYNAMIC_QUANTIZATION_GROUP_SIZE", "0"},
                            {"KV_CACHE_PRECISION", "f32"}};
  for (const auto& [name, value] : settings.provider_options) properties[name] = value;
  nlohmann::json devices;
  devices["CPU"] = std::move(properties);
  return {{"load_config", json_text::dump(devices)}};
}

plugin::LibrarySettings options_of(const ProviderPackage& package, const Settings& settings) {
  if (package.word == "openvino") return options_of_openvino(settings);
  plugin::LibrarySettings options = settings.provider_options;
  if (package.word != "qnn") return options;
  const bool has_backend = std::any_of(options.begin(), options.end(),
                                       [](const auto& option) { return option.first.starts_with("backend_"); });
  if (!has_backend) options.emplace_back("backend_type", "htp");
  options.emplace_back("enable_htp_fp16_precision", "0");
  return options;
}

// The package's Python module does this on import: its library finds these by name only.
void open_neighbours(const fs::path& folder) {
  for (const std::string_view prefix : {"libcudart.so", "libtensorrt_rtx.so", "libtensorrt_onnxparser_rtx.so"}) {
    std::error_code none;
    for (fs::directory_iterator file(folder, none), end; !none && file != end; file.increment(none)) {
      if (!file->path().filename().string().starts_with(prefix)) continue;
      // An error is ignored: ONNX Runtime then says what the provider lacks.
      (void)::dlopen(file->path().c_str(), RTLD_LAZY | RTLD_GLOBAL | RTLD_NODELETE);
    }
  }
}

std::string message_of(const Runtime& runtime, OrtStatus* status) {
  const Owned<OrtStatus> owned(status, runtime.api().ReleaseStatus);
  return runtime.api().GetErrorMessage(status);
}

plugin::Failure not_loaded(const ProviderPackage& package, const std::string& message, const std::string& version) {
  const std::string what = "onnxruntime's provider " + std::string(package.word) + " does not load: " + message;
  if (message.find("libcuda.so") != std::string::npos) {
    return {NGB_NO_DEVICE, what, "leave the provider out on this machine: it has no NVIDIA driver"};
  }
  return {NGB_IMPORT_ERROR, what,
          "install " + std::string(package.package) + " again, in a version for ONNX Runtime " + version +
              ", with the libraries that it needs"};
}

}  // namespace

const ProviderPackage* provider_package(std::string_view word) {
  const auto row =
      std::find_if(kPackages.begin(), kPackages.end(), [&](const auto& each) { return each.word == word; });
  return row == kPackages.end() ? nullptr : &*row;
}

fs::path library_of(const ProviderPackage& package, const std::string& toolchain_dir) {
  const fs::path path = fs::path(toolchain_dir) / package.folder / package.library;
  std::error_code code;
  return fs::exists(path, code) ? path : fs::path();
}

PackagedProvider::PackagedProvider(const Runtime& runtime, OrtEnv* environment, const ProviderPackage& package,
                                   const fs::path& library)
    : package_(package), environment_(environment), api_(runtime.api_of(kPluginApiVersion)) {
  if (package.word == "nv-tensorrt-rtx") open_neighbours(library.parent_path());
  // QNN names its devices after the registration.
  OrtStatus* const status = api_.register_library(environment, package.name, library.c_str());
  if (status != nullptr) throw not_loaded(package, message_of(runtime, status), runtime.version());
  device_ = choose(runtime);
}

const ProviderDevice* PackagedProvider::choose(const Runtime& runtime) const {
  const ProviderDevice* const* all = nullptr;
  std::size_t count = 0;
  runtime.check(api_.devices(environment_, &all, &count), "list its devices");
  std::string others;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_its = std::string_view(api_.provider_of(all[i])) == package_.name;
    const HardwareType type = api_.type_of(all[i]);
    if (is_its && (!package_.is_for_processors || type == HardwareType::cpu)) return all[i];
    others += (others.empty() ? "" : ", ") + std::string(word_of(type)) + " of " + api_.vendor_of(all[i]) + " for " +
              api_.provider_of(all[i]);
  }
  throw plugin::Failure(
      NGB_NO_DEVICE,
      "onnxruntime's provider " + std::string(package_.word) + " finds no device here; ONNX Runtime finds: " + others,
      "leave the provider out on this machine; it runs on " + std::string(package_.runs_on));
}

OrtStatus* PackagedProvider::append(OrtSessionOptions* options, const Settings& settings) const {
  const plugin::LibrarySettings all = options_of(package_, settings);
  std::vector<const char*> names;
  std::vector<const char*> values;
  for (const auto& [name, value] : all) {
    names.push_back(name.c_str());
    values.push_back(value.c_str());
  }
  return api_.append(options, environment_, device_, names.data(), values.data(), all.size());
}

std::string PackagedProvider::device() const { return word_of(api_.type_of(device_)); }

std::string PackagedProvider::version() const {
  const char* const text = api_.metadata(device_, "version");
  return text == nullptr ? "" : text;
}

}  // namespace ngb::onnxruntime
