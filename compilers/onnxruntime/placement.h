// SPDX-License-Identifier: Apache-2.0
// Reads from ONNX Runtime's own profile where each node ran.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace ngb::onnxruntime {

// Placement counts the operators that ran, by provider and then by type.
using Placement = std::map<std::string, std::map<std::string, int>>;
// Parses the text of a profile. Throws plugin::Failure if it contains no operator.
Placement read_placement(std::string_view profile);
// Returns "OpenVINOExecutionProvider 1, CPUExecutionProvider 2 (Cast, Gather)", with types except on `wanted`.
std::string describe(const Placement& placement, const std::string& wanted);
[[nodiscard]] bool is_all_on(const Placement& placement, const std::string& wanted);

}  // namespace ngb::onnxruntime
