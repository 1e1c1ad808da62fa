// SPDX-License-Identifier: Apache-2.0
// Measures what would be shipped to run a cell elsewhere, in bytes: of the model, of the compiler's file and of
// libraries.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "samples/process_result.h"
#include "work/model.h"

namespace ngb::worker {

// Returns the size of a file, or of all files in a folder.
Known<std::uint64_t> size_bytes(const std::string& path);

// Appends the readings, all of the moment "end":
//   model_size     the ONNX file, with those of a user's model that hold its weights
//   artifact_size  as given: what the compiler has written and opens again
//   runtime_size   the programs and shared libraries that this process has mapped, each once
void add_sizes(const std::string& model_path, const work::Model& model, const Known<std::uint64_t>& artifact_bytes,
               std::vector<samples::Reading>& readings, const std::string& proc = "/proc");

}  // namespace ngb::worker
