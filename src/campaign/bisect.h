// SPDX-License-Identifier: Apache-2.0
// Finds the first version of a compiler that is slower, fails, is inaccurate, or is faster.
#pragma once

#include <filesystem>
#include <string>

#include "campaign/installation.h"
#include "campaign/observer.h"
#include "campaign/refusal.h"
#include "metrics/bisection_step.h"
#include "plan/plan.h"
#include "report/bisection.h"
#include "toolchain/catalog.h"

namespace ngb::campaign {

struct BisectionOrder {
  plan::Plan plan{};                             // of the study
  std::string compiler{};                        // as the user names it: a label of the study, or a compiler
  toolchain::CompilerDescription description{};  // of that compiler
  std::string from{};                            // the older version, with which others are compared
  std::string to{};                              // the newer one
  metrics::BisectionRules rules{};
  std::filesystem::path folder{};  // what was measured there for the same question is not measured again
};

// Tries versions between the two ends until the first bad one is found, or none can be. Refuses if an end is neither
// installed nor on pip's index, cannot be judged, or if the folder has another bisection. A refusal loses nothing: the
// same order continues.
Answer<report::Bisected> bisect(const Installation& installation, const BisectionOrder& order, Observer& observer);

}  // namespace ngb::campaign
