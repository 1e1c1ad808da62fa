// SPDX-License-Identifier: Apache-2.0
#include "report/words.h"

#include <fmt/format.h>

namespace ngb::report {

using store::CellData;

std::string compiler_of(const CellData& cell) {
  const bool is_told =
      cell.compiler_version.empty() || cell.compiler_label.find(cell.compiler_version) != std::string::npos;
  return is_told ? cell.compiler_label : cell.compiler_label + " " + cell.compiler_version;
}

std::string threads_of(const CellData& cell) {
  return fmt::format("{} {}", cell.threads, cell.threads == 1 ? "thread" : "threads");
}

std::string workload_of(const CellData& cell) {
  return fmt::format("{}, batch {}, on {}", cell.model, cell.batch, cell.device);
}

bool is_same_workload(const CellData& a, const CellData& b) {
  return a.device == b.device && a.model_hash == b.model_hash && a.model == b.model && a.batch == b.batch;
}

}  // namespace ngb::report
