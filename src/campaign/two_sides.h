// SPDX-License-Identifier: Apache-2.0
// Makes a study of two compilers from a study that may have others.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/result.h"
#include "campaign/study_compilers.h"
#include "config/study.h"

namespace ngb::campaign {

// Returns the study with these two compilers instead of its own, the baseline first, without pairs and baseline. Either
// is named as in Sides (gate_study.h). Returns an error if one can mean several of the study's compilers, or if both
// are the same.
Result<nlohmann::json> study_of_sides(const config::Study& study, const std::string& baseline,
                                      const std::string& candidate);

// Fails if a side can mean several of the study's compilers.
Status check_sides(const config::Study& study, const std::string& baseline, const std::string& candidate);

// Returns an error that says what to type if a compiler is not installed here: a side without a toolchain would look
// like one that fails.
Status check_both_installed(const Compilers& compilers, const plan::Plan& plan);

}  // namespace ngb::campaign
