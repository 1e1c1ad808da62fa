// SPDX-License-Identifier: Apache-2.0
#include "report/environments.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/text.h"

namespace ngb::report {
namespace {

constexpr std::size_t kMostValues = 3;            // in a line
constexpr std::size_t kMostValueCharacters = 40;  // of a value in a line

std::string shown_value(const std::string& value) {
  const bool is_long = value.size() > kMostValueCharacters;
  return text::visible(is_long ? text::to_utf8(value.substr(0, kMostValueCharacters)) + "…" : value);
}

std::string joined_values(const std::vector<std::string>& values) {
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(kMostValues, values.size()); ++i) shown.push_back(shown_value(values[i]));
  std::string words = text::join(shown, " and ");
  if (values.size() > kMostValues) words += fmt::format(" and {} more", values.size() - kMostValues);
  return words;
}

}  // namespace

std::vector<EnvironmentDifference> environment_differences(
    const std::vector<store::MeasuredEnvironment>& environments) {
  using Key = std::tuple<std::string, bool, std::string>;  // device, is only told, entry
  std::map<Key, std::vector<std::string>> found;
  std::map<std::string, std::size_t> descriptions;
  for (const store::MeasuredEnvironment& each : environments) ++descriptions[each.device];
  std::map<Key, std::size_t> mentions;
  for (const store::MeasuredEnvironment& each : environments) {
    for (const samples::EnvironmentEntry& entry : each.environment.entries) {
      const Key key(each.device, !entry.is_identity, entry.name);
      const std::string value = entry.value.value.value_or("unknown");
      ++mentions[key];
      std::vector<std::string>& values = found[key];
      if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
    }
  }
  std::vector<EnvironmentDifference> differences;
  for (auto& [key, values] : found) {
    const auto& [device, is_told, entry] = key;
    if (mentions[key] < descriptions[device]) values.emplace_back("not set");
    if (values.size() > 1) differences.push_back({device, entry, !is_told, std::move(values)});
  }
  return differences;
}

std::vector<EnvironmentDifference> environment_differences(const std::vector<store::MeasuredEnvironment>& environments,
                                                           const std::set<std::string>& devices) {
  std::vector<EnvironmentDifference> differences = environment_differences(environments);
  std::erase_if(differences, [&](const EnvironmentDifference& each) { return !devices.contains(each.device); });
  return differences;
}

std::vector<std::string> environment_remarks(const std::vector<EnvironmentDifference>& differences) {
  std::vector<std::string> remarks;
  for (const EnvironmentDifference& each : differences) {
    remarks.push_back(fmt::format("{}: {} was {}{}", text::visible(each.device), text::visible(each.entry),
                                  joined_values(each.values),
                                  each.must_be_equal ? ": these results are not pooled" : ""));
  }
  return remarks;
}

nlohmann::json to_json(const std::vector<EnvironmentDifference>& differences) {
  nlohmann::json all = nlohmann::json::array();
  for (const EnvironmentDifference& each : differences) {
    all.push_back({{"device", each.device},
                   {"entry", each.entry},
                   {"must_be_equal", each.must_be_equal},
                   {"values", each.values}});
  }
  return all;
}

}  // namespace ngb::report
