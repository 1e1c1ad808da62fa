// SPDX-License-Identifier: Apache-2.0
#include "entries.h"

#include <string>

namespace ngb::onnxruntime {
namespace {

plugin::Failure refused(const std::string& name, const std::string& value, const std::string& why) {
  return {NGB_INVALID_OPTION, "setting " + name + "=" + value + ": " + why,
          "correct or remove it in the study's settings of onnxruntime; the names of its version are in "
          "onnxruntime_session_options_config_keys.h"};
}

}  // namespace

void add_entries(const Runtime& runtime, OrtSessionOptions* options, const plugin::LibrarySettings& entries) {
  for (const auto& [name, value] : entries) {
    if (!runtime.has_text(name)) {
      throw refused(name, value, "ONNX Runtime " + runtime.version() + " has no such session configuration entry");
    }
    OrtStatus* const status = runtime.api().AddSessionConfigEntry(options, name.c_str(), value.c_str());
    if (status == nullptr) continue;
    const Owned<OrtStatus> owned(status, runtime.api().ReleaseStatus);
    throw refused(name, value, runtime.api().GetErrorMessage(status));
  }
}

}  // namespace ngb::onnxruntime
