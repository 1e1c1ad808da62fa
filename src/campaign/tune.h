// SPDX-License-Identifier: Apache-2.0
// Searches the settings that a study lists for the fastest of each compiler on each workload, and measures the winners
// anew, beside the settings that are used today.
#pragma once

#include <filesystem>
#include <optional>

#include "base/clock.h"
#include "campaign/installation.h"
#include "campaign/observer.h"
#include "campaign/refusal.h"
#include "metrics/tuning.h"

namespace ngb::campaign {

struct TuneOrder {
  std::filesystem::path study{};
  std::filesystem::path folder{};       // of the search and of what confirms it; "": the study's own with "-tune"
  double margin_ratio = 0.03;           // within 1 ± this, a winner is no faster
  std::optional<Nanoseconds> budget{};  // of both; what confirms has at least two fifths of it
};

// Every setting is measured in one process, and the fastest 27 go on; after a second process the fastest 9, after a
// third the fastest 3, and after six the fastest one is chosen (successive halving: Jamieson and Talwalkar,
// "Non-stochastic best arm identification and hyperparameter optimization", AISTATS 2016; one of three goes on, as in
// Li et al., "Hyperband", JMLR 2018). The settings of today, the first that the study lists, stay to the end. Then
// winner and today's are measured in fresh processes, in the same rounds, until it is decided, and judged as `ngb gate`
// does.
//
// The results of each step are in a folder of their own below "search", and a step depends on nothing but those before
// it: the same order continues one that was stopped. Refuses a study that lists one setting of each compiler.
Answer<metrics::Tuned> tune(const Installation& installation, const TuneOrder& order, Observer& observer);

}  // namespace ngb::campaign
