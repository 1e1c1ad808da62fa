// SPDX-License-Identifier: Apache-2.0
#include "plan/selection.h"

namespace ngb::plan {

Plan without_cells(Plan plan, const std::set<std::string>& cell_ids) {
  for (Group& group : plan.groups) {
    std::erase_if(group.steps, [&](const Step& step) {
      return cell_ids.contains(plan.cells[static_cast<std::size_t>(step.cell_index)].id);
    });
  }
  std::erase_if(plan.groups, [](const Group& group) { return group.steps.empty(); });
  return plan;
}

}  // namespace ngb::plan
