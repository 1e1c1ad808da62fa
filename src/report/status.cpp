// SPDX-License-Identifier: Apache-2.0
#include "report/status.h"

#include "base/words.h"
#include "metrics/outcome.h"

namespace ngb::report {

std::string_view name(Status status) {
  constexpr EnumWords<5> kWords{"measured", "partial", "failed", "disturbed", "planned"};
  return word_in(kWords, status);
}

Status status_of(const store::CellData& cell) {
  if (metrics::is_disturbed(cell)) return Status::disturbed;
  if (metrics::decisive_failure(cell) != nullptr) return Status::failed;
  if (cell.processes.empty()) return Status::planned;
  return static_cast<int>(cell.processes.size()) < cell.needed_processes() ? Status::partial : Status::measured;
}

}  // namespace ngb::report
