// SPDX-License-Identifier: Apache-2.0
#include "metrics/machine_use.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "statistics/statistics.h"

namespace ngb::metrics {
namespace {

// Returns the readings of the processes that count, or why one of them is not known.
Known<std::vector<double>> readings_of(const store::CellData& cell, std::string_view quantity,
                                       std::string_view moment) {
  using Values = Known<std::vector<double>>;
  std::vector<double> values;
  for (const samples::ProcessResult& process : cell.processes) {
    for (const samples::Reading& reading : process.readings) {
      if (reading.quantity != quantity || reading.moment != moment) continue;
      if (!reading.value.value) return Values::unknown(reading.value.reason);
      values.push_back(*reading.value.value);
    }
  }
  return Values::of(std::move(values));
}

// Returns the mean over processes of a quantity that is measured over the timed phase of cells that have a load.
Value use_of_load(const Analysis& analysis, std::size_t cell, std::string_view quantity) {
  if (const std::string& reason = analysis.steady(cell).reason; !reason.empty()) return unknown(reason);
  if (analysis.cell(cell).of.load == work::kNoLoad) return unknown("measured without a load");
  const auto values = readings_of(analysis.cell(cell), quantity, "timed");
  if (!values.value) return unknown(values.reason);
  return values.value->empty() ? unknown("its use was not measured") : Value{statistics::mean(*values.value)};
}

}  // namespace

Value load_cpu(const Analysis& analysis, std::size_t cell) { return use_of_load(analysis, cell, "load_cpu"); }
Value load_memory(const Analysis& analysis, std::size_t cell) { return use_of_load(analysis, cell, "load_memory"); }

// Early versions of ngb recorded no such reading.
Value run_queue_wait(const Analysis& analysis, std::size_t cell) {
  if (const std::string& reason = analysis.steady(cell).reason; !reason.empty()) return unknown(reason);
  const auto values = readings_of(analysis.cell(cell), "run_queue_wait", "timed");
  if (!values.value) return unknown(values.reason);
  if (values.value->empty()) return unknown("measured by a version of ngb that did not measure it");
  return {*std::max_element(values.value->begin(), values.value->end())};
}

}  // namespace ngb::metrics
