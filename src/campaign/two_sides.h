// SPDX-License-Identifier: Apache-2.0
// Makes a study of two compilers from a study that may have others, and measures it.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "campaign/installation.h"
#include "campaign/observer.h"
#include "campaign/refusal.h"
#include "config/study.h"
#include "config/turns.h"
#include "metrics/judging.h"
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

// Profiles the two sides of a question in one study, in turns, so that what changes on the machine hits both.
inline constexpr int kProfileRounds = 5;
inline constexpr int kProfileTurns = 5;  // of a process: some compilers open another session for each

struct ProfileSides {
  std::string baseline{};  // as in Sides
  std::string candidate{};
  int rounds = kProfileRounds;
  std::optional<Nanoseconds> budget{};
};

// Profiles the study's models with these two compilers instead of its own, as `ngb run` measures. `output` is the
// results folder; one that exists is resumed; "" means a new one below the study's own with "-explain" behind its name.
Answer<MeasuredSides> profile_sides(const Installation& installation, const std::filesystem::path& study_file,
                                    const ProfileSides& sides, const std::filesystem::path& output, Observer& observer);

// Measures the two sides of a gate in one study, so that their processes alternate in the same shuffled rounds.

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
  // The metrics by which the sides are judged; none: by the speed. Rounds end when a single one of them has decided, if
  // it can (samples/process_numbers.h), or the speed among several; else there are as many as the study's `processes`,
  // or the most of its `rounds`.
  std::vector<metrics::Judged> judged{};
  int rounds_factor = 1;            // times the most rounds; 30 at most
  int turns = config::kUsualTurns;  // of each process, if the study leaves them open
  std::optional<Nanoseconds> budget{};
};

// Measures the study with these two compilers instead of its own, as `ngb run` does. `output` is the results folder; ""
// means a new one below the study's own with "-gate" behind its name.
Answer<MeasuredSides> measure_sides(const Installation& installation, const std::filesystem::path& study_file,
                                    const Sides& sides, const std::filesystem::path& output, Observer& observer);

}  // namespace ngb::campaign
