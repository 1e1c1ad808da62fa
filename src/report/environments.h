// SPDX-License-Identifier: Apache-2.0
// Finds the entries in which a device's descriptions of itself differ between the processes of some results.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "store/store.h"

namespace ngb::report {

// An entry of a device's environment that had several values.
struct EnvironmentDifference {
  std::string device{};
  std::string entry{};                // "kernel", "boot_id"
  bool must_be_equal = true;          // results with different values are not pooled; else the entry is only told
  std::vector<std::string> values{};  // in the order in which they were recorded; "unknown", "not set"
};

// Returns the differences in the order of devices and entries, those that must be equal first.
std::vector<EnvironmentDifference> environment_differences(const std::vector<store::MeasuredEnvironment>& environments);

// Returns those of these devices.
std::vector<EnvironmentDifference> environment_differences(const std::vector<store::MeasuredEnvironment>& environments,
                                                           const std::set<std::string>& devices);

// Returns a line for each: "local: kernel was 6.1.0 and 6.2.0: these results are not pooled".
std::vector<std::string> environment_remarks(const std::vector<EnvironmentDifference>& differences);

// [{"device", "entry", "must_be_equal", "values"}]
nlohmann::json to_json(const std::vector<EnvironmentDifference>& differences);

}  // namespace ngb::report
