// SPDX-License-Identifier: Apache-2.0
#include "report/values.h"

#include "metrics/outcome.h"

namespace ngb::report {
namespace {

constexpr std::string_view kFlagPrefix = "flag_";

}  // namespace

Values::Values(const std::vector<store::DerivedValue>& derived) {
  for (const store::DerivedValue& value : derived) by_cell_[value.cell_id.str()].push_back(&value);
}

const store::DerivedValue* Values::find(std::string_view cell_id, std::string_view metric) const {
  const auto found = by_cell_.find(cell_id);
  if (found == by_cell_.end()) return nullptr;
  for (const store::DerivedValue* value : found->second) {
    if (value->metric == metric) return value;
  }
  return nullptr;
}

std::vector<Values::Raised> Values::flags(std::string_view cell_id) const {
  std::vector<Raised> raised;
  const auto found = by_cell_.find(cell_id);
  if (found == by_cell_.end()) return raised;
  for (const store::DerivedValue* value : found->second) {
    const std::string_view metric = value->metric.str();
    if (metric.starts_with(kFlagPrefix))
      raised.push_back({metric.substr(kFlagPrefix.size()), value->value.value_or(0)});
  }
  return raised;
}

std::string_view name(Status status) {
  switch (status) {
    case Status::measured:
      return "measured";
    case Status::partial:
      return "partial";
    case Status::failed:
      return "failed";
    case Status::disturbed:
      return "disturbed";
    case Status::planned:
      return "planned";
  }
  return "planned";
}

Status status_of(const store::CellData& cell) {
  if (metrics::is_disturbed(cell)) return Status::disturbed;
  if (metrics::decisive_failure(cell) != nullptr) return Status::failed;
  if (cell.processes.empty()) return Status::planned;
  return static_cast<int>(cell.processes.size()) < cell.needed_processes() ? Status::partial : Status::measured;
}

}  // namespace ngb::report
