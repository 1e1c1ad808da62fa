// SPDX-License-Identifier: Apache-2.0
// Measures the two sides of a gate in one study, so that their processes alternate in the same shuffled rounds.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "apps/ngb/command.h"
#include "base/clock.h"

namespace ngb::app {

// How long both sides are measured: rounds are added until each cell is decided or was measured in 15 rounds, unless
// the study has `rounds` of its own.
struct GateRounds {
  double margin_ratio = 0.03;           // two speeds are the same if the interval of their ratio is within 1 ± this
  std::optional<Nanoseconds> budget{};  // no round begins after this time
};

// A study's results, and the labels of the two compilers in it.
struct MeasuredSides {
  std::filesystem::path results{};
  std::string baseline{};
  std::string candidate{};
};

// Measures the study with two compilers instead of its own, as `ngb run` does. Each of `baseline` and `candidate` is
// the label of one of the study's compilers, or NAME or NAME@VERSION of any compiler; one that the study has in another
// version keeps its settings there. `output` is the results folder; "" means a new one below the study's own with
// "-gate" behind its name. On failure prints the reason and returns the exit code.
tl::expected<MeasuredSides, ExitCode> measure_sides(const Installation& installation,
                                                    const std::filesystem::path& study_file,
                                                    const std::string& baseline, const std::string& candidate,
                                                    const std::filesystem::path& output, const GateRounds& rounds = {});

}  // namespace ngb::app
