// SPDX-License-Identifier: Apache-2.0
#include "metrics/sizes.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace ngb::metrics {
namespace {

Value largest(const Analysis& analysis, std::size_t cell, std::string_view quantity) {
  if (const std::string& reason = analysis.steady(cell).reason; !reason.empty()) return {.reason = reason};
  std::optional<double> found;
  std::string why;
  for (const samples::ProcessResult& process : analysis.cell(cell).processes) {
    for (const samples::Reading& reading : process.readings) {
      if (reading.quantity != quantity) continue;
      if (reading.value.value)
        found = std::max(found, reading.value.value);
      else
        why = reading.value.reason;
    }
  }
  if (found) return {found};
  return {.reason = why.empty() ? "no process recorded its " + std::string(quantity) : why};
}

}  // namespace

Value model_size(const Analysis& analysis, std::size_t cell) { return largest(analysis, cell, "model_size"); }
Value artifact_size(const Analysis& analysis, std::size_t cell) { return largest(analysis, cell, "artifact_size"); }
Value runtime_size(const Analysis& analysis, std::size_t cell) { return largest(analysis, cell, "runtime_size"); }

Value shipped_size(const Analysis& analysis, std::size_t cell) {
  const Value artifact = artifact_size(analysis, cell);
  return artifact.value ? artifact : model_size(analysis, cell);
}

Value disk_size(const Analysis& analysis, std::size_t cell) {
  const Value shipped = shipped_size(analysis, cell);
  const Value runtime = runtime_size(analysis, cell);
  if (!shipped.value || !runtime.value) return {.reason = shipped.value ? runtime.reason : shipped.reason};
  return {*shipped.value + *runtime.value};
}

}  // namespace ngb::metrics
