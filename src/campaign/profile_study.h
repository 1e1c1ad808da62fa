// SPDX-License-Identifier: Apache-2.0
// Profiles the two sides of a question in one study, in turns, so that what changes on the machine hits both.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "campaign/installation.h"
#include "campaign/observer.h"
#include "campaign/refusal.h"
#include "campaign/two_sides.h"

namespace ngb::campaign {

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

}  // namespace ngb::campaign
