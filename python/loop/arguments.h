// SPDX-License-Identifier: Apache-2.0
// Converts the host's arguments to plain str, int, tuple and dict, from which ngraphbench/hosting.py makes what
// adaptors receive. Functions return null, with a Python error set, if memory does not suffice or a type is unknown.
#pragma once

#include "loop/object.h"
#include "ngraphbench/compiler.h"

namespace ngb::python {

// Returns (toolchain_dir, device, precision, threads, {option: value}, cache_dir, {setting: value}, is_profiled,
// has_many_shapes).
Object settings_arguments(const ngb_settings& settings);
// Returns (path, recipe_json, ((name, dtype, shape), …), artifact_path).
Object model_arguments(const ngb_model& model);
// Returns (((name, dtype, shape, memoryview of bytes, read-only), …),). The views refer to the host's buffers.
Object input_arguments(const ngb_tensor* inputs, std::uint32_t count);
// Returns (((input, output, axis), …), row).
Object feedback_arguments(const ngb_feedback* pairs, std::uint32_t count, std::int64_t row);

}  // namespace ngb::python
