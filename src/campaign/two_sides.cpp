// SPDX-License-Identifier: Apache-2.0
#include "campaign/two_sides.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "campaign/measure.h"
#include "campaign/study_compilers.h"
#include "campaign/study_file.h"
#include "config/turns.h"
#include "samples/process_numbers.h"
#include "statistics/sequential.h"
#include "statistics/verdict.h"
#include "work/property.h"

namespace ngb::campaign {

namespace {

using nlohmann::json;

// Returns the entry of compiler `name` without its label and in this version; "" keeps the version.
json with_version(json entry, const std::string& name, const std::string& version) {
  if (!version.empty()) entry[name]["version"] = version;
  entry[name].erase("label");
  return entry;
}

// Returns the entry of a study file for the compiler that `words` name.
Result<json> entry_of(const config::Study& study, const std::string& words) {
  const json entries = config::to_json(study)["compilers"];
  std::vector<std::size_t> of_name;
  std::optional<std::size_t> of_label;
  const std::string name = words.substr(0, words.find('@'));
  const std::string version = name.size() < words.size() ? words.substr(name.size() + 1) : "";
  for (std::size_t i = 0; i < study.compilers.size(); ++i) {
    const work::Compiler& compiler = study.compilers[i];
    if (compiler.label == words) return entries[i];
    if (compiler.label == name && !version.empty()) of_label = i;
    if (compiler.name == name) of_name.push_back(i);
  }
  if (of_label) return with_version(entries[*of_label], study.compilers[*of_label].name, version);
  if (of_name.empty()) return json{{name, version.empty() ? json::object() : json{{"version", version}}}};
  const work::Compiler& first = study.compilers[of_name.front()];
  const bool is_clear = std::all_of(of_name.begin(), of_name.end(), [&](std::size_t i) {
    return work::settings_key(study.compilers[i]) == work::settings_key(first) &&
           (!version.empty() || i == of_name.front());
  });
  if (!is_clear) {
    std::vector<std::string> labels;
    for (const std::size_t i : of_name) labels.push_back('"' + study.compilers[i].label + '"');
    return fail(fmt::format("the study has several compilers that \"{}\" can mean", words), study.path.string(),
                "name one by its label: " + text::join(labels, ", "));
  }
  return with_version(entries[of_name.front()], name, version);
}

// Returns an error that says what to type if a compiler is not installed here.
Status check_both_installed(const Compilers& compilers, const plan::Plan& plan) {
  const bool has_local = std::any_of(plan.study.devices.begin(), plan.study.devices.end(),
                                     [](const config::DeviceEntry& device) { return config::is_here(device); });
  if (!has_local || compilers.missing().empty()) return Done{};
  const Compilers::Missing& missing = compilers.missing().front();
  return fail(missing.damage.empty() ? missing.name() + " is not installed" : missing.damage, plan.study.path.string(),
              missing.damage.empty() ? "run: ngb toolchain install " + missing.name() : "");
}

}  // namespace

Result<json> study_of_sides(const config::Study& study, const std::string& baseline, const std::string& candidate) {
  json both = config::to_json(study);
  both["compilers"] = json::array();
  for (const std::string& words : {baseline, candidate}) {
    auto entry = entry_of(study, words);
    if (!entry) return error_of(entry);
    both["compilers"].push_back(*std::move(entry));
  }
  if (both["compilers"][0] == both["compilers"][1]) {
    return fail("both sides are the same compiler", baseline, "give --candidate another version or label");
  }
  both.erase("pairs");
  both.erase("baseline");  // it may be a compiler that is not measured
  return both;
}

Status check_sides(const config::Study& study, const std::string& baseline, const std::string& candidate) {
  for (const std::string& words : {baseline, candidate}) {
    if (const auto entry = entry_of(study, words); !entry) return error_of(entry);
  }
  return Done{};
}

Answer<MeasuredSides> measure_both(const Installation& installation, plan::Plan plan, Observer& observer,
                                   std::optional<Nanoseconds> budget) {
  const auto compilers = Compilers::find(installation, plan);
  if (!compilers) return cannot_go_on(compilers.error());
  if (const Status installed = check_both_installed(*compilers, plan); !installed) {
    return cannot_go_on(installed.error());
  }
  MeasuredSides measured{plan.study.output, plan.study.compilers[0].label, plan.study.compilers[1].label};
  const auto done = measure_plan(installation, std::move(plan), *compilers, observer, budget);
  if (!done) return tl::unexpected(done.error());
  saying(observer)(fmt::format("ngb: results: {}\n", measured.results.string()));
  return measured;
}

namespace {

// Returns the study that profiles the two sides of the given study, with one inference at a time.
Result<json> made_study(const config::Study& study, const ProfileSides& sides, const std::filesystem::path& output) {
  auto both = study_of_sides(study, sides.baseline, sides.candidate);
  if (!both) return both;
  for (const char* const key : {"rounds", "stop_when", "arrivals", "loads", "instances", "longer_look_s"}) {
    both->erase(key);
  }
  for (json& entry : (*both)["compilers"]) {
    for (const char* const key : {"instances", "in_flight"}) entry.front().erase(key);
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

namespace {

// Returns a folder that no earlier gate has used: ".../speed-gate/20261123T231500Z".
std::filesystem::path new_folder_for(const config::Study& study) {
  return std::filesystem::path(study.output.string() + "-gate") / time_folder();
}

bool judges_speed(const Sides& sides) {
  return sides.judged.empty() || std::ranges::any_of(sides.judged, [](const auto& each) { return !each.metric; });
}

// Returns whether the sides are judged by one metric alone that can end rounds.
bool ends_by_metric(const Sides& sides) {
  return sides.judged.size() == 1 && !judges_speed(sides) &&
         samples::process_number(sides.judged.front().name()) != nullptr;
}

// Returns the study in rounds that end after a fixed number.
json in_fixed_rounds(json study, const Sides& sides, const std::filesystem::path& output) {
  const json& rounds = study["rounds"];
  const int wanted =
      rounds.is_null() ? study.value("processes", work::Protocol{}.processes) : rounds.value("max", work::Rounds{}.max);
  study["processes"] = std::max(wanted * sides.rounds_factor, static_cast<int>(statistics::kLeastRounds));
  study.erase("rounds");
  study["output"] = output.string();
  return study;
}

// Plans the study of the two sides.
Answer<plan::Plan> plan_sides(const Installation& installation, const config::Study& study, const Sides& sides,
                              const std::filesystem::path& output, const Say& say) {
  auto with_sides = study_of_sides(study, sides.baseline, sides.candidate);
  if (!with_sides) return wrong_usage(with_sides.error());
  json both = *std::move(with_sides);
  for (const metrics::Judged& each : sides.judged) {
    if (each.metric != nullptr && each.metric->needs != nullptr) both[each.metric->needs] = true;
  }
  if (!judges_speed(sides) && !ends_by_metric(sides)) {
    return plan_made_study(installation, in_fixed_rounds(std::move(both), sides, output), say);
  }
  if (both["rounds"].is_null()) {
    both["rounds"] = {{"until", work::name(work::Until::decided_against_baseline)},
                      {"margin_percent", sides.margin_ratio * 100}};
  }
  json& rounds = both["rounds"];
  if (ends_by_metric(sides)) both["metric"] = sides.judged.front().in_text();
  const int most = rounds.value("max", work::Rounds{}.max) * sides.rounds_factor;
  rounds["max"] =
      std::clamp(sides.needs_speeds ? most : statistics::kFirstLook, statistics::kFirstLook, statistics::kMostLookedAt);
  if (!sides.needs_speeds) rounds["min"] = rounds["max"];
  if (sides.needs_speeds && config::leaves_turns_open(study)) both["turns"] = sides.turns;
  both["output"] = output.string();
  return plan_made_study(installation, both, say);
}

// Makes the gate's questions those of the plan: how the second compiler compares with the first in each group.
void ask_of_sides(plan::Plan& plan) {
  plan.verdicts_of_gate = true;
  for (work::Group& group : plan.groups) {
    std::array<int, 2> sides{-1, -1};
    for (const work::Step& step : group.steps) {
      sides.at(static_cast<std::size_t>(plan.cell_of(step).compiler_index)) = step.cell_index;
    }
    group.questions.clear();
    if (sides[0] < 0 || sides[1] < 0) continue;
    group.questions.push_back({.cell_index = sides[1], .baseline_index = sides[0]});
  }
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
