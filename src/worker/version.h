// SPDX-License-Identifier: Apache-2.0
// Compares a library's own version with the one that a study asks for.
#pragma once

#include <string_view>

#include "base/result.h"
#include "work/compiler.h"

namespace ngb::worker {

// Returns whether a library that reports the one version is what was asked for by the other. Both are compared without
// their build: "2.15.0+cpu" is 2.15.0, and OpenVINO's "2026.4.1-21000-abcdef" is 2026.4.1. Either may be the first
// three numbers of the other: TVM's package 0.27.0.post1 reports 0.27.0, and the library in TensorRT's package 10.6.0
// reports 10.6.0.26.
bool is_same_version(std::string_view reported, std::string_view asked);

// Returns an error if the library that was loaded from the place reports another version than the study asks for.
Status check_same_version(std::string_view reported, const work::Compiler& compiler, const work::Place& place);

}  // namespace ngb::worker
