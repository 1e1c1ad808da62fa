// SPDX-License-Identifier: Apache-2.0
#include "provider.h"

#include <algorithm>
#include <array>
#include <vector>

#include "errors.h"

namespace ngb::onnxruntime {
namespace {

// SessionOptionsAppendExecutionProvider_OpenVINO_V2.
constexpr std::uint32_t kOpenVinoApiVersion = 17;

std::vector<std::string> available_providers(const Runtime& runtime) {
  char** names = nullptr;
  int count = 0;
  runtime.check(runtime.api().GetAvailableProviders(&names, &count), "list its providers");
  std::vector<std::string> all(names, names + count);
  runtime.check(runtime.api().ReleaseAvailableProviders(names, count), "list its providers");
  return all;
}

void require(const Runtime& runtime, const std::string& provider) {
  const std::vector<std::string> available = available_providers(runtime);
  if (std::find(available.begin(), available.end(), provider) != available.end()) return;
  std::string list;
  for (const std::string& name : available) list += (list.empty() ? "" : ", ") + name;
  throw plugin::Failure(
      NGB_TOOLCHAIN_MISSING,
      "this ONNX Runtime " + runtime.version() + " has no " + provider + " (it has " + list + ")",
      "put the package that has it into a virtual environment, such as onnxruntime-openvino, and adopt "
      "that: ngb toolchain adopt onnxruntime FOLDER");
}

// In f32, one stream, like the compiler of that name.
void append_openvino(const Runtime& runtime, OrtSessionOptions* options, const Settings& settings) {
  const OrtApi& api = runtime.api_of(kOpenVinoApiVersion);
  const std::string threads = std::to_string(settings.threads);
  const std::array<const char*, 4> keys{"device_type", "precision", "num_of_threads", "num_streams"};
  const std::array<const char*, 4> values{"CPU", "FP32", threads.c_str(), "1"};
  runtime.check(api.SessionOptionsAppendExecutionProvider_OpenVINO_V2(options, keys.data(), values.data(), keys.size()),
                "take the provider openvino");
}

}  // namespace

std::string provider_name(const std::string& word) {
  return word == "openvino" ? "OpenVINOExecutionProvider" : "CPUExecutionProvider";
}

void append_provider(const Runtime& runtime, OrtSessionOptions* options, const Settings& settings) {
  if (settings.provider == "cpu") return;
  require(runtime, provider_name(settings.provider));
  append_openvino(runtime, options, settings);
}

}  // namespace ngb::onnxruntime
