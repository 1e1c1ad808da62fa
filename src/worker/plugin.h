// SPDX-License-Identifier: Apache-2.0
// Opens native compiler plugins: shared objects that export NGB_ENTRY_SYMBOL (include/ngraphbench/compiler.h).
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"
#include "ngraphbench/compiler.h"
#include "work/compiler.h"

namespace ngb::worker {

// Opens the plugin with its own symbols kept apart. The table is valid until the process ends: the object is never
// unloaded, since the libraries that plugins open leave threads and thread-local destructors behind.
// Returns an error if the plugin does not load or exports no table, or if its table has another ABI or lacks a
// function.
Result<const ngb_compiler*> open_plugin(const std::filesystem::path& path);

// Compares a library's own version with the one that a study asks for.

// Returns whether a library that reports the version `reported` is the one that `asked` names. Both are compared
// without their build: "2.15.0+cpu" is 2.15.0, and OpenVINO's "2026.4.1-21000-abcdef" is 2026.4.1. Either may be the
// first three numbers of the other: TVM's package 0.27.0.post1 reports 0.27.0, and the library in TensorRT's
// package 10.6.0 reports 10.6.0.26.
bool is_same_version(std::string_view reported, std::string_view asked);

// Returns an error if the library that was loaded from the place reports another version than the study asks for.
Status check_same_version(std::string_view reported, const work::Compiler& compiler, const work::Place& place);

}  // namespace ngb::worker
