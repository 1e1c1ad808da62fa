// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "config/keys/value.h"
#include "config/sections.h"

namespace ngb::config {
namespace {

Goal::Amounts read_amounts(const DocumentNode& node, const std::string& path, Problems& problems) {
  const Key amount{.name = path, .type = ValueType::scalar};
  Goal::Amounts amounts;
  for (const Field& field : fields_or_problem(node, path, "amounts by metric: {throughput_per_s: 200}", problems)) {
    const auto value = read_value(amount, *field.value, join_path(path, field.name), problems);
    if (value) amounts.emplace_back(field.name, plain_text(*value));
  }
  return amounts;
}

void check_devices(const Study& study, const DocumentNode& on, Problems& problems) {
  std::vector<std::string> known;
  for (const DeviceEntry& device : study.devices) known.push_back(device.name);
  for (const NodePointer& item : on.items) {
    if (std::ranges::find(known, item->text) != known.end()) continue;
    problems.add(*item, "goal.on", unknown_word(item->text, "device of this study", known));
  }
}

// A device decides by itself, so it cannot know which model is the best over several.
void check_rounds_over_models(const Study& study, const GivenNode& given, Problems& problems) {
  const work::Rounds& rounds = *study.protocol.rounds;
  const DocumentNode& over = *given("rounds.over");
  if (rounds.until != work::Until::decided) {
    problems.add(over, "rounds.over", "only `until: decided` is over models; remove over or until");
  }
  const std::size_t devices = study.goal && !study.goal->on.empty() ? study.goal->on.size() : study.devices.size();
  if (study.goal && study.goal->across != "each" && devices > 1) {
    problems.add(over, "rounds.over",
                 fmt::format("each device ends its rounds by its own models, so none knows the {} of all devices; "
                             "remove over, or set goal.across: each",
                             study.goal->across));
  }
}

}  // namespace

void read_goal(const GivenNode& given, Study& study, Author author, Problems& problems) {
  if (study.goal) {
    Goal& goal = *study.goal;
    if (const auto* const node = given("goal.at_least")) goal.at_least = read_amounts(*node, "goal.at_least", problems);
    if (const auto* const node = given("goal.at_most")) goal.at_most = read_amounts(*node, "goal.at_most", problems);
    if (const auto* const node = given("goal.on")) check_devices(study, *node, problems);
    std::string& metric = study.protocol.metric;
    if (author == Author::user && !metric.empty() && metric != goal.metric) {
      problems.add(*given("metric"), "metric", fmt::format("the goal's metric is {}; remove this key", goal.metric));
    }
    if (metric.empty() && study.protocol.rounds && goal.metric != Goal{}.metric) metric = goal.metric;
  }
  auto& rounds = study.protocol.rounds;
  if (!rounds) return;
  constexpr int kLeastRounds = 3;
  const DocumentNode* const least = given("rounds.min");
  if (rounds->over == work::Over::models) {
    if (least == nullptr) rounds->min = 1;
    check_rounds_over_models(study, given, problems);
  } else if (rounds->min < kLeastRounds) {
    problems.add(*least, "rounds.min", fmt::format("expected at least {}, or `over: models`", kLeastRounds));
  }
}

}  // namespace ngb::config
