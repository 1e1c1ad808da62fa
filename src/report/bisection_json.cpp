// SPDX-License-Identifier: Apache-2.0
// Writes {"summary", "compiler", "from", "to", "fault", "slower_ratio", "faster_ratio", "outcome": "found" |
// "undecided" | "not_worse", "first_bad", "last_good", "undecided": […], "stepped_over": […], "versions": […], "tried":
// [{"version", "verdict", "ratio": {"value", "low", "high"}, …}], …}. What is unknown is null.
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/bisection_formats.h"
#include "report/json_text.h"

namespace ngb::report {
namespace {

using nlohmann::json;

json tried_json(const TriedVersion& tried, metrics::Fault fault) {
  json ratio = nullptr;
  if (tried.speeds) {
    ratio = {{"value", std::exp(tried.speeds->estimate)}, {"low", nullptr}, {"high", nullptr}};
    if (tried.speeds->interval) {
      ratio["low"] = std::exp(tried.speeds->interval->low);
      ratio["high"] = std::exp(tried.speeds->interval->high);
    }
  }
  const auto or_null = [](const std::string& text) { return text.empty() ? json(nullptr) : json(text); };
  return {{"version", tried.version},
          {"verdict", std::string(word_of(tried.finding, fault))},
          {"ratio", std::move(ratio)},
          {"cell", or_null(tried.cell)},
          {"reason", tried.why},
          {"processes", tried.processes == 0 ? json(nullptr) : json(tried.processes)},
          {"results", or_null(tried.results)}};
}

}  // namespace

std::string bisection_json(const Bisected& bisected, const BisectionOptions& /*options*/) {
  const auto versions_at = [&](const std::vector<std::size_t>& indices) {
    json names = json::array();
    for (const std::size_t i : indices) names.push_back(bisected.versions[i]);
    return names;
  };
  json tried = json::array();
  for (const TriedVersion& each : bisected.tried) tried.push_back(tried_json(each, bisected.fault));
  const auto threshold_of = [&](metrics::Fault fault) {
    return bisected.fault == fault ? json(bisected.threshold_ratio) : json(nullptr);
  };
  json object{{"summary", bisection_summary(bisected)},
              {"compiler", bisected.compiler},
              {"from", bisected.versions.front()},
              {"to", bisected.versions.back()},
              {"fault", std::string(name(bisected.fault))},
              {"slower_ratio", threshold_of(metrics::Fault::slower)},
              {"faster_ratio", threshold_of(metrics::Fault::faster)},
              {"outcome", "not_worse"},
              {"first_bad", nullptr},
              {"last_good", nullptr},
              {"undecided", json::array()},
              {"stepped_over", json::array()},
              {"versions", bisected.versions},
              {"cells", bisected.cells},
              {"cells_that_count", bisected.cells_that_count},
              {"folder", bisected.folder},
              {"tried", std::move(tried)}};
  if (!bisected.end) {
    if (bisected.tried.back().finding == Finding::undecided) object["outcome"] = "undecided";
    return json_text(object);
  }
  object["outcome"] = bisected.end->is_certain() ? "found" : "undecided";
  object["first_bad"] = bisected.versions[bisected.end->first_bad];
  object["last_good"] = bisected.versions[bisected.end->last_good];
  object["undecided"] = versions_at(bisected.end->undecided);
  object["stepped_over"] = versions_at(bisected.end->unusable);
  return json_text(object);
}

}  // namespace ngb::report
