// SPDX-License-Identifier: Apache-2.0
#include "metrics/settings.h"

#include <fmt/format.h>

#include <unordered_map>

#include "work/property.h"

namespace ngb::metrics {
namespace {

using store::CellData;
using work::Role;

std::string entry_of(const CellData& cell) {
  return work::key_of(cell.of, {Role::compiler, Role::version, Role::options, Role::instances, Role::precision}) +
         cell.of.threads_wanted();
}

}  // namespace

Settings::Settings(std::span<const CellData* const> cells) {
  std::unordered_map<std::string, const CellData*> first;
  for (const CellData* cell : cells) {
    std::string entry = entry_of(*cell);
    const std::string there = work::key_of(cell->of, {Role::device, Role::model, Role::batch, Role::load});
    const CellData* const known = first.emplace(fmt::format("{}\n{}", entry, there), cell).first->second;
    if (known->of.compiler.label != cell->of.compiler.label) several_.insert(std::move(entry));
  }
}

std::string Settings::of(const CellData& cell) const { return entry_of(cell) + label_among_equals(cell); }

std::string Settings::label_among_equals(const CellData& cell) const {
  return !several_.empty() && several_.contains(entry_of(cell)) ? '\n' + cell.of.compiler.label : std::string();
}

}  // namespace ngb::metrics
