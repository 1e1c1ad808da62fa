// SPDX-License-Identifier: Apache-2.0
// How long a cell's inferences take, one by one: what a queue of requests for them is computed from.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "statistics/binomial_intervals.h"
#include "statistics/dependent_values.h"
#include "store/merge.h"
#include "store/store.h"

namespace ngb::metrics {

struct Latencies {
  std::vector<double> seconds{};          // of inferences that count, process by process
  std::vector<std::size_t> by_process{};  // how many of them each process has, if it has any
  bool is_grouped = false;                // some are means over the inferences of a repetition

  // Returns the percentile with its interval, for the processes that were measured and others like them: processes that
  // differ by more than chance are what is counted (statistics/dependent_values.h). Precondition: there is a latency.
  [[nodiscard]] statistics::PercentileInterval percentile_s(double q, double error_rate) const;
  // Returns how many independent latencies they are worth for that.
  [[nodiscard]] statistics::Worth worth(double q, double error_rate) const;
};

// Returns the latencies that were measured one by one, or else t / k of each counted repetition.
Latencies latencies_of(const store::CellData& cell);

struct ServiceTimes {
  double variation = 0;  // standard deviation of the time of an inference / its mean, by time
  Latencies latencies{};
};

// Returns nothing if fewer than two repetitions count. A repetition of k inferences is k of them; its time / k varies
// less than that of one, by √k if they are independent, which is corrected; if they are not, this errs to the careful
// side.
std::optional<ServiceTimes> service_times(const store::CellData& cell);

// Reads the cells of results for which `is_wanted` holds, and returns their times by the cells' ids; cells without
// times are left out. Returns an error if the results cannot be read.
Result<std::map<std::string, ServiceTimes>> read_service_times(
    const std::vector<store::Source>& sources, const std::function<bool(const std::string& cell_id)>& is_wanted);

}  // namespace ngb::metrics
