// SPDX-License-Identifier: Apache-2.0
// Measures the two sides of a gate in one study, so that their processes alternate in the same shuffled rounds.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/clock.h"
#include "campaign/installation.h"
#include "campaign/observer.h"
#include "campaign/refusal.h"
#include "campaign/two_sides.h"
#include "config/study.h"
#include "config/turns.h"

namespace ngb::campaign {

// The two compilers to measure. Each is the label of one of the study's compilers, or NAME or NAME@VERSION of any
// compiler; LABEL@VERSION, or NAME@VERSION of one that the study has in another version, keeps its settings. Rounds are
// added until each cell is decided, or was measured in so many rounds.
struct Sides {
  std::string baseline{};
  std::string candidate{};
  double margin_ratio = 0.03;  // two speeds are the same if the interval of their ratio is within 1 ± this
  // The most rounds: those of the study's `rounds`, or 15 without; `needs_speeds` false: 3, which show whether it
  // works.
  bool needs_speeds = true;
  int rounds_factor = 1;            // times the most rounds; 30 at most
  int turns = config::kUsualTurns;  // of each process, if the study leaves them open
  std::optional<Nanoseconds> budget{};
};

// Measures the study with these two compilers instead of its own, as `ngb run` does. `output` is the results folder; ""
// means a new one below the study's own with "-gate" behind its name.
Answer<MeasuredSides> measure_sides(const Installation& installation, const std::filesystem::path& study_file,
                                    const Sides& sides, const std::filesystem::path& output, Observer& observer);

}  // namespace ngb::campaign
