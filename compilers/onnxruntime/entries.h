// SPDX-License-Identifier: Apache-2.0
// Adds the entries of the session's configuration that a study hands on.
#pragma once

#include <onnxruntime_c_api.h>

#include "../plugin_settings.h"
#include "library.h"

namespace ngb::onnxruntime {

// ONNX Runtime accepts and ignores entries that it does not know. This refuses them: throws
// plugin::Failure(NGB_INVALID_OPTION) if the library does not contain the name, or if ONNX Runtime refuses the value.
void add_entries(const Runtime& runtime, OrtSessionOptions* options, const plugin::LibrarySettings& entries);

}  // namespace ngb::onnxruntime
