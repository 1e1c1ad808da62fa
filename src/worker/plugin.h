// SPDX-License-Identifier: Apache-2.0
// Opens native compiler plugins: shared objects that export NGB_ENTRY_SYMBOL (include/ngraphbench/compiler.h).
#pragma once

#include <filesystem>

#include "base/result.h"
#include "ngraphbench/compiler.h"

namespace ngb::worker {

// Opens the plugin with its own symbols kept apart. The table is valid until the process ends: the object is never
// unloaded, since the libraries that plugins open leave threads and thread-local destructors behind.
// Returns an error if the plugin does not load or exports no table, or if its table has another ABI or lacks a
// function.
Result<const ngb_compiler*> open_plugin(const std::filesystem::path& path);

}  // namespace ngb::worker
