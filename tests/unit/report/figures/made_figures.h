// SPDX-License-Identifier: Apache-2.0
// Figures of made-up results, and what to look at in their specifications.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "made_up_results.h"
#include "report/figures/figure.h"

namespace ngb::made_up {

inline report::figures::Figures figures_of(const ResultsOf& results) { return make_figures(results.selection()); }

inline const report::figures::Made& made_called(const report::figures::Figures& figures, std::string_view name) {
  for (const report::figures::Made& made : figures.made) {
    if (made.figure->name == name) return made;
  }
  throw std::invalid_argument("not made: " + std::string(name));
}

// Calls the function with each object of the JSON, and with the key at which it is.
inline void visit(const nlohmann::ordered_json& json, const std::string& key,
                  const std::function<void(const nlohmann::ordered_json&, const std::string&)>& function) {
  if (json.is_object()) {
    function(json, key);
    for (const auto& [name, value] : json.items()) visit(value, name, function);
  } else if (json.is_array()) {
    for (const nlohmann::ordered_json& value : json) visit(value, key, function);
  }
}

}  // namespace ngb::made_up
