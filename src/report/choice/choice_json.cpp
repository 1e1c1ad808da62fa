// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "report/choice/choice.h"
#include "report/columns.h"
#include "report/write/json.h"

namespace ngb::report {
namespace {

using nlohmann::json;

json candidate_number(const std::optional<double>& value) { return value ? json(*value) : json(nullptr); }

}  // namespace

std::string choice_json(const std::vector<Candidate>& candidates) {
  json rows = json::array();
  for (const Candidate& candidate : candidates) {
    json row = json::object();
    for (const Attribute& attribute : attributes()) row[attribute.name] = attribute.of(*candidate.cell);
    row["fit"] = name(candidate.fit);
    row["utilisation_ratio"] = candidate_number(candidate.utilisation_ratio);
    row["answered_s"] = candidate_number(candidate.answered_s);
    row["low_s"] = candidate_number(candidate.low_s);
    row["high_s"] = candidate_number(candidate.high_s);
    row["memory_bytes"] = candidate_number(candidate.memory_bytes);
    row["disk_bytes"] = candidate_number(candidate.disk_bytes);
    row["agreement_ratio"] = candidate_number(candidate.agreement_ratio);
    row["cpu_s_per_request"] = candidate_number(candidate.cpu_s_per_request);
    row["cost_per_hour"] = candidate_number(candidate.cost_per_hour);
    row["why"] = candidate.why;
    rows.push_back(std::move(row));
  }
  return json_text(rows);
}

}  // namespace ngb::report
