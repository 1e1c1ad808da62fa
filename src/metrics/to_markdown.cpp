// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "metrics/metric.h"
#include "metrics/resampling.h"

namespace ngb::metrics {
namespace {

constexpr const char* kIntroduction = R"(<!-- SPDX-License-Identifier: Apache-2.0 -->
# Metrics

Generated from the tables in src/metrics; `metrics_test` with NGB_UPDATE_DOCS=1 writes it anew.

b: batch size. t: wall time of a repetition. k: inferences in it. T_c(b): mean throughput of compiler c at batch b, in
samples/s. Only steady repetitions of completed processes count. A cell that failed has no speed; a value that cannot be
known has a reason in its place, never 0.

A cell is related to the identity of the same device, model, batch, threads and precision (where a study has several
versions of the identity, the first one), to the same compiler at batch 1, and, by its margin, to the same compiler's
other settings. The settings with the highest mean throughput are the best; their margin is over the runner-up. Where its
interval holds 1, the two are not told apart.
)";

constexpr const char* kIntervals = R"(
## Intervals

All intervals are of 95 %. That of the median needs 6 repetitions. Those of ratios come from a hierarchical bootstrap:
{} times, processes are drawn with replacement and then repetitions within each drawn process; the mean throughput of
each draw is kept per cell, ratios are formed draw by draw, and the interval lies between their 2.5th and 97.5th
percentiles. The draws are seeded with the cell's id, so that the same results give the same interval. With one process
there is no interval, since one process says nothing about the next; with five, it is somewhat too narrow (a bootstrap
over n groups underestimates their variance by 1/n). Percentiles of latency interpolate between order statistics
(type 7 of Hyndman and Fan, the default of numpy and pandas).
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
  page += fmt::format(fmt::runtime(kIntervals), kResamples);
  page += "\n## Flags\n\nA flag is a reason to look at a number twice; it takes none away.\n\n";
  page += "| flag | raised when | what it means |\n| --- | --- | --- |\n";
  for (const Flag& flag : flag_table()) {
    page += fmt::format("| `{}` | {} | {} |\n", flag.name, flag.threshold, flag.meaning);
  }
  return page;
}

}  // namespace ngb::metrics
