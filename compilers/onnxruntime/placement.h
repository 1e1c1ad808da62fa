// SPDX-License-Identifier: Apache-2.0
// The proof of where each node ran, from ONNX Runtime's own profile.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace ngb::onnxruntime {

// Operators that ran, by provider and then by type, each with how often.
using Placement = std::map<std::string, std::map<std::string, int>>;
// From the text of a profile that the library has written. Throws plugin::Failure when it tells of no operator.
Placement read_placement(std::string_view profile);
// "OpenVINOExecutionProvider 1, CPUExecutionProvider 2 (Cast, Gather)": the types of those elsewhere than `wanted`.
std::string describe(const Placement& placement, const std::string& wanted);
[[nodiscard]] bool is_all_on(const Placement& placement, const std::string& wanted);

}  // namespace ngb::onnxruntime
