// SPDX-License-Identifier: Apache-2.0
#include "plan/selection.h"

namespace ngb::plan {

Plan without_cells(Plan plan, const std::set<std::string>& cell_ids) {
  for (work::Group& group : plan.groups) {
    std::erase_if(group.steps, [&](const work::Step& step) { return cell_ids.contains(plan.cell_of(step).id); });
  }
  std::erase_if(plan.groups, [](const work::Group& group) { return group.steps.empty(); });
  return plan;
}

}  // namespace ngb::plan
