// SPDX-License-Identifier: Apache-2.0
// Measures a plan over its devices into its results folder: the verb that everything else here uses.
#pragma once

#include <optional>

#include "base/clock.h"
#include "base/result.h"
#include "campaign/installation.h"
#include "campaign/observer.h"
#include "campaign/refusal.h"
#include "campaign/study_compilers.h"
#include "plan/plan.h"

namespace ngb::campaign {

// The plan to measure. Processes that the results folder already has are not measured again.
struct Order {
  plan::Plan plan{};
  bool retry_failed = false;              // cells that failed in an earlier run are tried again
  bool only_fetch = false;                // records what the devices have done so far; they continue
  bool accepts_new_build = false;         // measures cells anew that an interrupted run began with another build
  std::optional<Nanoseconds> deadline{};  // of system_clock(), when the budget ends; nothing: never
};

enum class Ending {
  finished,     // every device has finished, whatever became of its cells
  stopped,      // the user has stopped it
  out_of_time,  // the budget is used up
};

// Measures what is left, to the end or until it is stopped. What was measured is durable when this returns. Returns an
// error if the results cannot be written or belong to another protocol, if there is nothing to fetch, or the error of
// the first device that has one, after saying those of the others.
Result<Ending> measure(const Installation& installation, Order order, const Compilers& compilers, Observer& observer);

// Measures a plan for a command that has one question. Refuses results of another content (same_contents.h). A budget
// that is used up is no refusal.
Answer<Done> measure_plan(const Installation& installation, plan::Plan plan, const Compilers& compilers,
                          Observer& observer, std::optional<Nanoseconds> budget = {});

}  // namespace ngb::campaign
