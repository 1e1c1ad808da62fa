// SPDX-License-Identifier: Apache-2.0
#include "campaign/profile_study.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "campaign/study_file.h"
#include "campaign/time_folder.h"
#include "campaign/two_sides.h"

namespace ngb::campaign {
namespace {

using nlohmann::json;

// Returns the study of profiles: of what the given one measures, kernels are told of inferences one after the other.
Result<json> made_study(const config::Study& study, const ProfileSides& sides, const std::filesystem::path& output) {
  auto both = study_of_sides(study, sides.baseline, sides.candidate);
  if (!both) return both;
  for (const char* const key : {"rounds", "stop_when", "arrivals", "loads", "instances", "longer_look_s"}) {
    both->erase(key);
  }
  (*both)["protocol"] = "turns";
  (*both)["profile"] = true;
  (*both)["processes"] = sides.rounds;
  (*both)["turns"] = kProfileTurns;
  (*both)["output"] = output.string();
  return both;
}

}  // namespace

Answer<MeasuredSides> profile_sides(const Installation& installation, const std::filesystem::path& study_file,
                                    const ProfileSides& sides, const std::filesystem::path& output,
                                    Observer& observer) {
  const Say say = saying(observer);
  const auto given = plan_study(installation, study_file, say);
  if (!given) return tl::unexpected(given.error());
  const std::filesystem::path folder =
      output.empty() ? std::filesystem::path(given->study.output.string() + "-explain") / time_folder()
                     : std::filesystem::absolute(output);
  const auto both = made_study(given->study, sides, folder);
  if (!both) return wrong_usage(both.error());
  auto plan = plan_made_study(installation, *both, say);
  if (!plan) return tl::unexpected(plan.error());
  return measure_both(installation, *std::move(plan), observer, sides.budget);
}

}  // namespace ngb::campaign
