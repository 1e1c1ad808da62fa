// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/claim_test.h"

#include <cmath>

namespace ngb::metrics::series {

std::vector<Relation> mean_over(const Cells& cells, double weight, const LogOf& log_of) {
  std::vector<Relation> relations;
  for (const std::size_t i : cells) relations.push_back(log_of(i, weight / static_cast<double>(cells.size())));
  return relations;
}

Relation times(Relation relation, double factor) {
  if (relation.parts.empty()) return relation;  // it has a reason
  statistics::Part& part = relation.parts.front();
  for (double& value : part.values) value += std::log(factor) / part.weight;
  return relation;
}

Relation inverse(Relation relation) {
  for (statistics::Part& part : relation.parts) part.weight = -part.weight;
  return relation;
}

Bounded below(Relation quantity, double bound) { return {times(std::move(quantity), 1 / bound), bound}; }

Bounded above(Relation quantity, double bound) { return {times(inverse(std::move(quantity)), bound), bound}; }

ClaimTest claimed_below(Relation quantity, double bound, Cells cells) {
  Bounded ratio = below(quantity, bound);
  return {.quantity = std::move(quantity), .ratios = {std::move(ratio)}, .cells = std::move(cells)};
}

ClaimTest claimed_above(Relation quantity, double bound, Cells cells) {
  Bounded ratio = above(quantity, bound);
  return {.quantity = std::move(quantity), .ratios = {std::move(ratio)}, .cells = std::move(cells)};
}

}  // namespace ngb::metrics::series
