// SPDX-License-Identifier: Apache-2.0
#include "campaign/gate_study.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "campaign/study_file.h"
#include "campaign/time_folder.h"
#include "campaign/two_sides.h"
#include "config/turns.h"
#include "statistics/sequential.h"

namespace ngb::campaign {
namespace {

using nlohmann::json;

// Returns a folder that no earlier gate has used: ".../speed-gate/20261123T231500Z".
std::filesystem::path new_folder_for(const config::Study& study) {
  return std::filesystem::path(study.output.string() + "-gate") / time_folder();
}

// Plans the study of the two sides.
Answer<plan::Plan> plan_sides(const Installation& installation, const config::Study& study, const Sides& sides,
                              const std::filesystem::path& output, const Say& say) {
  auto with_sides = study_of_sides(study, sides.baseline, sides.candidate);
  if (!with_sides) return wrong_usage(with_sides.error());
  json both = *std::move(with_sides);
  if (both["rounds"].is_null()) {
    both["rounds"] = {{"until", work::name(work::Until::decided_against_baseline)},
                      {"margin_percent", sides.margin_ratio * 100}};
  }
  json& rounds = both["rounds"];
  const int most = rounds.value("max", work::Rounds{}.max) * sides.rounds_factor;
  rounds["max"] =
      std::clamp(sides.needs_speeds ? most : statistics::kFirstLook, statistics::kFirstLook, statistics::kMostLookedAt);
  if (!sides.needs_speeds) rounds["min"] = rounds["max"];
  if (sides.needs_speeds && config::leaves_turns_open(study)) both["turns"] = sides.turns;
  both["output"] = output.string();
  return plan_made_study(installation, both, say);
}

// Makes the gate's questions those of the plan: how the second compiler compares with the first in each group. Their
// error rates add up to that of the gate, whatever the number of its cells.
void ask_of_sides(plan::Plan& plan) {
  std::size_t questions = 0;
  for (work::Group& group : plan.groups) {
    std::array<int, 2> sides{-1, -1};
    for (const work::Step& step : group.steps) {
      sides.at(static_cast<std::size_t>(plan.cell_of(step).compiler_index)) = step.cell_index;
    }
    group.questions.clear();
    if (sides[0] < 0 || sides[1] < 0) continue;
    group.questions.push_back({.cell_index = sides[1], .baseline_index = sides[0]});
    ++questions;
  }
  plan.question_error_rate /= static_cast<double>(std::max<std::size_t>(questions, 1));
}

}  // namespace

Answer<MeasuredSides> measure_sides(const Installation& installation, const std::filesystem::path& study_file,
                                    const Sides& sides, const std::filesystem::path& output, Observer& observer) {
  const Say say = saying(observer);
  const auto given = plan_study(installation, study_file, say);
  if (!given) return tl::unexpected(given.error());
  const std::filesystem::path folder =
      output.empty() ? new_folder_for(given->study) : std::filesystem::absolute(output);
  auto plan = plan_sides(installation, given->study, sides, folder, say);
  if (!plan) return tl::unexpected(plan.error());
  ask_of_sides(*plan);
  return measure_both(installation, *std::move(plan), observer, sides.budget);
}

}  // namespace ngb::campaign
