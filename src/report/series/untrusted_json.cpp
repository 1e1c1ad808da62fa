// SPDX-License-Identifier: Apache-2.0
#include "report/series/untrusted_json.h"

#include <nlohmann/json.hpp>

namespace ngb::report {

std::string text_at(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool is_true_at(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && *found == true;
}

std::optional<double> number_at(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

}  // namespace ngb::report
