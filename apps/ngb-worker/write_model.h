// SPDX-License-Identifier: Apache-2.0
// ngb-worker write-model --recipe JSON|- --batch N|dynamic --threads N -o FILE
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ngb {

// Writes the ONNX file of a canonical recipe. Returns one line of JSON: {"file_bytes":…}.
Result<std::string> write_model(const std::vector<std::string_view>& arguments);

}  // namespace ngb
