// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/quota.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "probe/cgroup.h"
#include "probe/tree.h"

namespace ngb::app {

std::string words_of_quota(const std::string& processors) {
  return fmt::format("a control group allows {} processors and pauses programs that use more", processors);
}

std::string quota_remark(const plan::Plan& plan) {
  std::set<std::string> here;
  for (const config::DeviceEntry& device : plan.study.devices) {
    if (config::is_here(device)) here.insert(device.name);
  }
  int most = 0;
  for (const work::Cell& cell : plan.cells) {
    if (here.contains(cell.device)) most = std::max(most, work::needed_processors(plan.compiler_of(cell)));
  }
  const probe::Limit<double> limit = probe::cgroup_cpu_limit(probe::Tree("/"));
  const std::optional<double> quota = limit.value.value_or(std::nullopt);
  if (!quota || *quota >= most) return {};
  return fmt::format("{}; this study's cells use up to {}: give it fewer `threads`, or raise the quota",
                     words_of_quota(fmt::format("{:g}", *quota)), most);
}

}  // namespace ngb::app
