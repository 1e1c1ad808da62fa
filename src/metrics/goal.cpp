// SPDX-License-Identifier: Apache-2.0
#include "metrics/goal.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/words.h"
#include "metrics/judging.h"

namespace ngb::metrics {
namespace {

using nlohmann::json;

constexpr EnumWords<3> kAcrossWords{"each", "worst", "mean"};

// Returns the amount in the metric's unit; nothing: it is none.
std::optional<double> parse_amount(std::string_view amount, const Metric& metric) {
  double value = 0;
  const auto [end, problem] = std::from_chars(amount.data(), amount.data() + amount.size(), value);
  if (problem == std::errc{} && end == amount.data() + amount.size() && std::isfinite(value)) return value;
  return std::string_view(metric.unit) == "bytes" ? parse_byte_amount(amount) : std::nullopt;
}

std::string amount_text(const json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }
std::string word_of_goal(const json& goal, const char* key) {
  const json value = goal.value(key, json());
  return value.is_string() ? value.get<std::string>() : "";
}

Status add_bounds(const json& amounts, bool is_least, Goal& goal) {
  for (const auto& [metric, amount] : amounts.items()) {
    auto bound = parse_bound(metric, amount_text(amount), is_least);
    if (!bound) {
      return fail(bound.error().what, (is_least ? "at_least." : "at_most.") + metric, bound.error().next);
    }
    goal.bounds.push_back(*bound);
  }
  return Done{};
}

Status check_window(const Goal& goal) {
  std::vector<std::string> names{goal.metric.substr(0, goal.metric.find(':'))};
  for (const Bound& bound : goal.bounds) names.emplace_back(bound.metric->name);
  for (const std::string& name : names) {
    if (name.ends_with("_in_window") && !goal.window_s) {
      return fail(fmt::format("{} is of a window that the goal does not give", name), "goal",
                  "add window_s: the seconds that it lasts");
    }
  }
  return Done{};
}

}  // namespace

std::string_view name(Across across) { return word_in(kAcrossWords, across); }
Result<Across> parse_across(std::string_view name) { return parse_word<Across>(kAcrossWords, name, "across"); }

std::string Bound::in_words() const {
  return fmt::format("{} of {} {:g} {}", metric->name, is_least ? "at least" : "at most", value, metric->unit);
}

Result<Bound> parse_bound(std::string_view metric, std::string_view amount, bool is_least) {
  const Metric* const found = find_metric(metric);
  std::vector<std::string> names;
  for (const Metric& each : metrics()) names.emplace_back(each.name);
  if (found == nullptr) return tl::unexpected(no_such_metric(metric, names, std::string(metric)));
  const std::optional<double> value = parse_amount(amount, *found);
  if (value) return Bound{found, is_least, *value};
  return fail(fmt::format("\"{}\" is no amount of {}", amount, metric), std::string(metric),
              fmt::format("expected a number in {}{}", found->unit,
                          std::string_view(found->unit) == "bytes" ? ", or with B, kB, MB or GB" : ""));
}

Result<Goal> read_goal(const json& goal) {
  Goal found;
  if (!goal.is_object()) return found;
  found.is_asked = true;
  found.metric = word_of_goal(goal, "metric");
  for (const bool is_least : {true, false}) {
    const json amounts = goal.value(is_least ? "at_least" : "at_most", json::object());
    if (const Status added = add_bounds(amounts, is_least, found); !added) return error_of(added);
  }
  if (const json window = goal.value("window_s", json()); window.is_number()) found.window_s = window.get<double>();
  for (const json& device : goal.value("on", json::array())) {
    if (device.is_string()) found.on.push_back(device.get<std::string>());
  }
  found.across = parse_across(word_of_goal(goal, "across")).value_or(Across::each);
  if (const Status has_window = check_window(found); !has_window) return error_of(has_window);
  return found;
}

}  // namespace ngb::metrics
