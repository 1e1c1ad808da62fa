// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "metrics/metric.h"

namespace ngb::metrics {
namespace {

constexpr const char* kIntroduction = R"(<!-- SPDX-License-Identifier: Apache-2.0 -->
# Metrics

Generated from the tables in src/metrics; run `metrics_test` with NGB_UPDATE_DOCS=1 to regenerate it.

b: batch size. t: wall time of a repetition. k: inferences in it. T_c(b): throughput of compiler c at batch b, in samples/s:
the mean over the repetitions of each process, then the geometric mean over processes. Only steady repetitions of completed
processes count. A cell that failed has no speed. An unknown value has a reason in its place, never 0.

Ratios relate a cell to the identity with the same device, model, batch, threads and precision (to the first version, if a
study has several), to the same compiler at batch 1, and, as its margin, to the same compiler's other settings. The best
settings are those with the highest mean throughput; their margin is over the runner-up. If the interval of the margin
contains 1, the measurements do not tell the two apart.
)";

constexpr const char* kIntervals = R"(
## Intervals

All intervals are of 95 %. The interval of the median uses order statistics over all repetitions; it needs at least 6.

The unit of a ratio's interval is the process: repetitions within a process are averaged first, because fresh processes
differ by more than repetitions do. It is a Student t interval on the log scale. T in the formula of a ratio is the geometric
mean over processes, so the value is always inside its interval:

- Cells of one group (device, model, batch size) are measured in rounds of one process of each cell, one after the other.
  Their ratio is formed within each round that holds both; n rounds give n - 1 degrees of freedom (paired t). A disturbance
  of a whole round affects both sides and does not change the ratio.
- Cells of different groups (RTR, ASE) or different runs are independent of each other (Welch; Satterthwaite's degrees of
  freedom). BSR is a ratio of two paired ratios.

With one process there is no interval, because one process says nothing about the next. With two, the interval is very wide
(one degree of freedom: t = 12.7). No value is removed or down-weighted because of its size.

Simulated coverage of nominal 95 % (`interval_coverage`, 10,000 studies each, 3 to 20 processes): 94.6 to 98.3 % for ratios
within a group, whether processes differ normally, in two modes, with heavy tails or by rare disturbances; 94.7 to 96.5 % for
ratios between groups and ratios of ratios. Two things no interval can know: that all processes of one mean fell into the
same of two modes (coverage 52 to 92 %), or that only one side drifts (76 to 88 %).

Percentiles of latency interpolate between order statistics (type 7 of Hyndman and Fan, the default of numpy and pandas).
)";

}  // namespace

std::string to_markdown() {
  std::string page = kIntroduction;
  page += "\n| name | column | unit | formula | source | interval |\n| --- | --- | --- | --- | --- | --- |\n";
  for (const Metric& metric : metrics()) {
    page += fmt::format("| `{}` | {}{} | {} | {} | {} | {} |\n", metric.name, metric.heading,
                        metric.rank > 0 ? "" : " (--all)", metric.unit, metric.formula, metric.source,
                        metric.has_interval ? "yes" : "");
  }
  page += kIntervals;
  page += "\n## Flags\n\nA flag is a reason to check a number. It does not remove the number.\n\n";
  page += "| flag | raised when | what it means |\n| --- | --- | --- |\n";
  for (const Flag& flag : flag_table()) {
    page += fmt::format("| `{}` | {} | {} |\n", flag.name, flag.threshold, flag.meaning);
  }
  return page;
}

}  // namespace ngb::metrics
