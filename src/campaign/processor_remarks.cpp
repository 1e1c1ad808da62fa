// SPDX-License-Identifier: Apache-2.0
#include "campaign/processor_remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "work/own_processors.h"

namespace ngb::campaign {
namespace {

bool is_measured_here(const plan::Plan& plan, const work::Cell& cell) {
  return std::any_of(plan.study.devices.begin(), plan.study.devices.end(), [&](const config::DeviceEntry& each) {
    return each.name == cell.device && config::is_here(each);
  });
}

// The processors of this machine on which the plan's cells run.
struct Used {
  std::map<std::string, std::vector<int>> chosen{};  // by the study's words
  std::vector<int> most{};                           // that one cell uses
};

Used used_by(const plan::Plan& plan, const std::vector<LogicalProcessor>& here) {
  Used used;
  for (const work::Cell& cell : plan.cells) {
    if (!is_measured_here(plan, cell)) continue;
    const work::Compiler& compiler = plan.compiler_of(cell);
    const auto own = work::own_processors(compiler, here);
    if (!own) continue;
    if (compiler.processors != work::kChosenProcessors) used.chosen[compiler.processors] = *own;
    if (own->size() > used.most.size()) used.most = *own;
  }
  return used;
}

}  // namespace

std::vector<std::string> processor_remarks(const plan::Plan& plan, const std::vector<LogicalProcessor>& here,
                                           const MeasureCores& measured) {
  const Used used = used_by(plan, here);
  std::vector<std::string> lines;
  for (const auto& [words, own] : used.chosen) {
    if (const std::string numbers = cpu_list(own); words != numbers)
      lines.push_back(fmt::format("{}: processors {} of this machine", words, numbers));
  }
  std::vector<LogicalProcessor> together;
  std::copy_if(here.begin(), here.end(), std::back_inserter(together), [&](const LogicalProcessor& each) {
    return std::binary_search(used.most.begin(), used.most.end(), each.number);
  });
  auto shared = probe::shared_as_told(together);
  if (!shared && used.most.size() > 1) shared = measured(used.most);
  if (shared) lines.push_back(probe::words_of(*shared) + "; " + probe::advice_on(*shared));
  return lines;
}

}  // namespace ngb::campaign
