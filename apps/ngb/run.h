// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "apps/ngb/study_compilers.h"
#include "base/clock.h"
#include "plan/plan.h"

namespace ngb::app {

// Measures what is left of the plan, as `ngb run` does, and prints progress and problems on stderr, with speeds if
// `shows_speeds`. Returns kSuccess when every device has finished, whatever became of the cells, or when the budget is
// used up; kInterrupted after a signal, else kCannotGoOn.
ExitCode measure_plan(const Installation& installation, plan::Plan plan, const Compilers& compilers,
                      std::optional<Nanoseconds> budget = {}, bool shows_speeds = true);

}  // namespace ngb::app
