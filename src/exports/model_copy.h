// SPDX-License-Identifier: Apache-2.0
// Puts a model's file into a folder, byte for byte as it was measured.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "exports/subject.h"

namespace ngb::exports {

// Copies the user's file, with the weights beside it, or makes that of a recipe again. Returns the name of the ONNX
// file in the folder; "" for a PyTorch module. Returns an error if it is not the file that was measured.
Result<std::string> put_model(const Subject& subject, const std::filesystem::path& folder);

}  // namespace ngb::exports
