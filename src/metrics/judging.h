// SPDX-License-Identifier: Apache-2.0
// The metrics by which two sides can be judged (Metric::better), and what each process says of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "metrics/metric.h"
#include "metrics/outcome.h"

namespace ngb::metrics {

// A metric by which pairs of cells are judged.
struct Judged {
  const Metric* metric = nullptr;  // null: the speed, throughput_per_s, from equally many repetitions of both sides
  double margin_ratio = 0.03;      // two sides are the same within 1 ± this

  [[nodiscard]] const char* name() const;  // as in the table: "throughput_per_s"
};

// Returns the names of the metrics that a verdict can be made of, in the order of the table.
std::vector<std::string> names_of_judged();

// Reads "NAME" or "NAME:MARGIN", such as "timed_peak_bytes:5%". Without a margin it is `margin_ratio`, and none of a
// metric that does not vary. Returns an error if there is no such metric, or no verdict can be made of it.
Result<Judged> parse_judged(std::string_view given, double margin_ratio);

// Returns the metric of each completed process, computed as that of a cell that has no other one. A process of which it
// is unknown is left out; if it is unknown of all, or not above 0, the reason is returned.
Known<std::vector<OfRound>> by_process(const Metric& metric, const store::CellData& cell);

}  // namespace ngb::metrics
