// SPDX-License-Identifier: Apache-2.0
// Reads JSON objects of a results file, which may come from anybody: what has another type than it should counts as
// missing.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace ngb::report {

// Returns "" if there is no such text.
std::string text_at(const nlohmann::json& object, const char* key);
bool is_true_at(const nlohmann::json& object, const char* key);
std::optional<double> number_at(const nlohmann::json& object, const char* key);

}  // namespace ngb::report
