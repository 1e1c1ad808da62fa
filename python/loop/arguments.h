// SPDX-License-Identifier: Apache-2.0
// What the host hands in, as Python objects: plain str, int, tuple and dict, so that ngraphbench/hosting.py can make of
// them what adaptors see. Null, with a Python error set, when memory is short or a type is unknown.
#pragma once

#include <optional>
#include <string_view>

#include "loop/object.h"
#include "ngraphbench/compiler.h"

namespace ngb::python {

// "f32" …; empty for a number that is no type of the table.
std::string_view dtype_name(ngb_dtype dtype);
std::optional<ngb_dtype> parse_dtype(std::string_view name);
// Of one element; 0 for a number that is no type of the table.
std::size_t dtype_size_bytes(ngb_dtype dtype);

// (toolchain_dir, device, precision, threads, {option: value})
Object settings_arguments(const ngb_settings& settings);
// (path, recipe_json, ((name, dtype, shape), …), artifact_path)
Object model_arguments(const ngb_model& model);
// (((name, dtype, shape, memoryview of bytes, read-only), …),): the views are over the host's buffers.
Object input_arguments(const ngb_tensor* inputs, std::uint32_t count);

}  // namespace ngb::python
