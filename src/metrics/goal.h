// SPDX-License-Identifier: Apache-2.0
// The goal for which a study chooses a model: its key `goal`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "metrics/metric.h"

namespace ngb::metrics {

// What a setting has to have, or may not exceed, to be chosen.
struct Bound {
  const Metric* metric = nullptr;
  bool is_least = true;  // else the most
  double value = 0;      // in the metric's unit

  // Returns "throughput_per_s of at least 200 samples/s".
  [[nodiscard]] std::string in_words() const;
};

// What counts of several devices: a model for each, or one for all of them, by the worst or by the mean.
enum class Across { each, worst, mean };
std::string_view name(Across across);  // "each", "worst", "mean"
Result<Across> parse_across(std::string_view name);

struct Goal {
  bool is_asked = false;  // a study has it
  std::string metric{};   // as parse_judged reads it; "": the speed
  std::vector<Bound> bounds{};
  std::optional<double> window_s{};
  std::vector<std::string> on{};  // names of the devices that count; none: all
  Across across = Across::each;
};

// Reads an amount of a metric: a number in its unit; of bytes also "500 MB". Returns an error if there is no such
// metric, with the nearest one, or if it has no such amounts.
Result<Bound> parse_bound(std::string_view metric, std::string_view amount, bool is_least);

// Reads the value that the key `goal` has in a study with every key; null is no goal. Returns an error as parse_bound
// does, or if a metric needs the window and none is given. `metric` is not checked.
Result<Goal> read_goal(const nlohmann::json& goal);

}  // namespace ngb::metrics
