// SPDX-License-Identifier: Apache-2.0
#include "entries.h"

#include <string>

namespace ngb::onnxruntime {

void add_entries(const Runtime& runtime, OrtSessionOptions* options, const plugin::LibrarySettings& entries) {
  for (const auto& [name, value] : entries) {
    if (!runtime.has_text(name)) {
      throw plugin::refused_setting("onnxruntime", name, value,
                                    "ONNX Runtime " + runtime.version() + " has no such session configuration entry");
    }
    OrtStatus* const status = runtime.api().AddSessionConfigEntry(options, name.c_str(), value.c_str());
    if (status == nullptr) continue;
    const Owned<OrtStatus> owned(status, runtime.api().ReleaseStatus);
    throw plugin::refused_setting("onnxruntime", name, value, runtime.api().GetErrorMessage(status));
  }
}

}  // namespace ngb::onnxruntime
