// SPDX-License-Identifier: Apache-2.0
// Makes a study of two compilers from a study that may have others, and measures it.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "campaign/installation.h"
#include "campaign/observer.h"
#include "campaign/refusal.h"
#include "config/study.h"
#include "plan/plan.h"

namespace ngb::campaign {

// Returns the study with these two compilers instead of its own, the baseline first, without pairs and baseline. Either
// is named as in Sides (gate_study.h). Returns an error if one can mean several of the study's compilers, or if both
// are the same.
Result<nlohmann::json> study_of_sides(const config::Study& study, const std::string& baseline,
                                      const std::string& candidate);

// Fails if a side can mean several of the study's compilers.
Status check_sides(const config::Study& study, const std::string& baseline, const std::string& candidate);

// A study's results, and the labels of the two compilers in it.
struct MeasuredSides {
  std::filesystem::path results{};
  std::string baseline{};
  std::string candidate{};
};

// Measures a plan of two compilers, the baseline first. Refuses if one is not installed here, and says what to type: a
// side without a toolchain would look like one that fails.
Answer<MeasuredSides> measure_both(const Installation& installation, plan::Plan plan, Observer& observer,
                                   std::optional<Nanoseconds> budget);

}  // namespace ngb::campaign
