// SPDX-License-Identifier: Apache-2.0
#include "agent/workers/load_processors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace ngb::agent {
namespace {

using work::LoadKind;
using work::LoadPlace;

bool is_among(int cpu, const std::vector<int>& cpus) { return std::find(cpus.begin(), cpus.end(), cpu) != cpus.end(); }

std::vector<int> without(const std::vector<int>& cpus, const std::vector<int>& left_out) {
  std::vector<int> rest;
  std::copy_if(cpus.begin(), cpus.end(), std::back_inserter(rest), [&](int cpu) { return !is_among(cpu, left_out); });
  return rest;
}

std::vector<int> candidates(const work::Load& load, const std::vector<int>& allowed, const std::vector<int>& of_cell) {
  const std::vector<int> others = without(allowed, of_cell);
  switch (load.place) {
    case LoadPlace::listed:
      return load.listed;
    case LoadPlace::all:
      return allowed;
    case LoadPlace::others:
      // Without other processors, a memory load still uses the memory, at the price of the cell's processors.
      return others.empty() && load.kind == LoadKind::memory ? of_cell : others;
    case LoadPlace::cell:
      break;
  }
  std::vector<int> cpus = of_cell;
  if (load.kind == LoadKind::cpu) cpus.insert(cpus.end(), others.begin(), others.end());
  return cpus;
}

}  // namespace

Result<std::vector<int>> processors_of(const work::Load& load, const std::vector<int>& allowed,
                                       const std::vector<int>& of_cell) {
  const std::string where = "loads: " + load.name;
  std::vector<int> cpus = candidates(load, allowed, of_cell);
  const std::vector<int> foreign = without(cpus, allowed);
  if (!foreign.empty()) {
    return fail(fmt::format("processor {} is none of those that the study may use here: {}", foreign.front(),
                            fmt::join(allowed, ", ")),
                where, "list others below processors");
  }
  if (cpus.empty()) {
    return fail(fmt::format("the cell's inference uses all {} processors that the study may use here", allowed.size()),
                where, "give the compilers fewer threads, or leave out processors: others");
  }
  if (load.kind != LoadKind::cpu) return cpus;
  const auto wanted = static_cast<std::size_t>(std::ceil(load.processors));
  if (wanted > cpus.size()) {
    return fail(
        fmt::format("it needs {} processors, and may run on {} here: {}", wanted, cpus.size(), fmt::join(cpus, ", ")),
        where, "ask for less, or leave the load out on this device");
  }
  cpus.resize(wanted);
  return cpus;
}

}  // namespace ngb::agent
