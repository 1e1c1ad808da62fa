// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string_view>

#include "metrics/judging.h"
#include "metrics/limit.h"
#include "metrics/metric.h"
#include "metrics/series/findings.h"
#include "metrics/series/series.h"
#include "samples/process_numbers.h"

namespace ngb::metrics {
namespace {

constexpr const char* kIntroduction = R"(<!-- SPDX-License-Identifier: Apache-2.0 -->
# Metrics

Generated from the tables in src/metrics and src/metrics/series; run `metrics_test` with NGB_UPDATE_DOCS=1 to regenerate it.

b: batch size. t: wall time of a repetition. k: inferences in it. T_c(b): throughput of compiler c at batch b, in samples/s:
the mean over the repetitions of each process, then the geometric mean over processes. Only steady repetitions of completed
processes count. A cell that failed has no speed. An unknown value has a reason in its place, never 0.

Ratios relate a cell to its baseline, to the same compiler at batch 1, and, as its margin, to the same compiler's other
settings on the same compute device. The best settings are those with the highest throughput T; their margin is over the
runner-up. If the interval of the margin contains 1, the measurements do not tell the two apart.

## The baseline

The baseline is the identity, unless the study (`baseline:`) or the command (`ngb show --baseline`) names another compiler of
these results by its label, as NAME@VERSION or as NAME. Column heads then name it ("speed-up over onnxruntime@1.30.0"), and
all ratios that refer to a baseline refer to that one. A cell's baseline is a cell

- of the same device, model, batch size, load and threads (`all` and `physical` are the numbers that they meant there; a
  label names a setting with its threads: if it was measured with another number only, that counts);
- on the same compute device: `cpu`, `gpu` or `npu`, as the compiler reports it in the fact `device`, else as the option
  `device` or `provider` says. A cell on a GPU has no speed-up over one on the CPU. If only one of the two reports its
  compute device, there is no ratio, with that as its reason;
- in f32. The speed-up of a bf16 or f16 cell is therefore "over f32": it holds what the compiler and what the precision
  gains. If no baseline was measured in f32, it is over the baseline of the cell's own precision, and labelled so.

If several cells fit, the first in the order of the study counts. A cell whose compiler
[emulates](measurement.md#who-may-be-a-baseline) operators is nobody's baseline: what would refer to it has no value, with
that as its reason.
)";

constexpr const char* kIntervals = R"(
## Intervals

All intervals are of 95 %, and one function makes them all: a Student t interval on the log scale whose unit is the process.
Repetitions within a process are averaged first (for the median: their median is used), because fresh processes differ by
more than repetitions do. A value is a geometric mean over processes or a ratio of such means, and so always inside its
interval. The mean ± standard deviation over all repetitions, which the paper shows, has no interval.

- T and the median of a cell: n processes give n - 1 degrees of freedom.
- Cells of one group (device, model, batch size) are measured in rounds of one process of each cell, one after the other.
  Their ratio is formed within each round that holds both; n rounds give n - 1 degrees of freedom (paired t). A disturbance
  of a whole round affects both sides and does not change the ratio. With fewer than two rounds in common, all processes
  count and the sides are independent; such an interval can be narrower than that of two rounds in common, because it
  rests on more processes and knows nothing of the rounds. `ngb compare` and `ngb gate` say so (`is_paired` in JSON).
  Page and figures have the same ratio of any two cells of a group.
- Cells of different groups (RTR, ASE), runs or environments are independent of each other (Welch; Satterthwaite's degrees of
  freedom). BSR is a ratio of two paired ratios.

With one process there is no interval, because one process says nothing about the next. With two, there is an interval of one
degree of freedom (t = 12.7), so wide that it decides little; `ngb compare` gives a verdict from three on. No value is removed
or down-weighted because of its size.

In results whose rounds end when they have decided something (`rounds` in the study), the data were looked at after every
round from the third on. All intervals are then those of one look (99.08 % if there are at most 15 rounds), so that all looks
together miss the truth in at most 5 % of cases: such an interval may be read whatever made the rounds end. With
`repetitions: auto`, a ratio is formed from equally many repetitions of both sides, the first ones of each process.

Simulated coverage of nominal 95 % (`interval_coverage`, 10,000 studies each, 3 to 20 processes): 94.5 to 98.7 % for ratios
within a group, whether processes of both sides differ normally, in two modes, with heavy tails or by rare disturbances; 94.8 to 96.3 % for
ratios between groups and ratios of ratios; 94.6 to 96.3 % for one mean and for a slope over depths, if processes are
independent; with two processes 95.4 and 95.6 % (one mean and a ratio, normal). Two things no interval can know:

- All processes of one mean fell into the same of two modes (coverage 52 to 93 %), or all of one side of a ratio: R of R
  processes are in the usual state in a share (1 - p)^R of studies, and then vary by little around the wrong mean. R processes
  cannot show a state that comes in fewer than one in R. If 20 % of the processes of one side take 1.3 times as long, the
  interval holds the truth in 54, 68, 90 and 92 % of studies of 3, 5, 10 and 20 rounds; if 10 % take 1.5 times as long, in
  50, 39, 65 and 87 %. If both sides have such states, the ratio's interval is wide enough (above).
- A drift that is not shared: of one side of a ratio only (74 to 87 %, and fewer with more processes), or of the machine between
  groups, if all rounds of a group follow one another (`order: groups`: 49 % with three processes, 16 % with twenty, on a machine
  that wanders by 10 % over minutes). By default rounds are spread over the whole study, and what compares groups then holds
  the truth in 99 % and more of such cases. Only a ratio within a group is free of a drift that all compilers share.

A verdict (`ngb compare`, `ngb gate`, the answer, findings, claims, the live page, and the device that ends rounds) therefore
assumes that a round varies by no less than is usual of the two compilers: by the mean of the standard deviations over all
models and batch sizes of the comparison that have both, the noisiest tenth left out, from two of them on. With fewer than eight
it is also no less than what `ngb calibrate` found. In the same simulations, with 3, 5 and 7 rounds, the interval holds the truth or the
verdict is undecided in 94 % and more from six models on, in 87 % and more with four, and in 40 to 80 % with one, of which
nothing is known but its own rounds. Intervals are shown as they are, without that.

Percentiles of latency interpolate between order statistics (type 7 of Hyndman and Fan, the default of numpy and pandas). Their
intervals are order statistics, too, by the binomial distribution, of as many values as the latencies are worth: where the shares of
processes beyond the percentile differ by more than chance (F test, 5 %), the processes are what is counted.
)";

constexpr const char* kSeriesIntroduction = R"(
## Numbers that span cells

The speed-up at depth k is one number everywhere, `speed_up_ratio`, a geometric mean over rounds: it is printed, it is a point of the
figures, retention is a quotient of two of them, and the depth slope is that of the line of least squares through them.

`ngb show --series` prints them, `--json` has them under `series`, and the results file keeps them in the table `series`.
They are formed over the cells of one device, compute device and setting (compiler, version, options, settings of its library,
inferences in flight, threads, precision) and one group of models: its `group` in the study, else the family of a recipe, else
the model itself. Batch sizes are grouped as 1, 2 to 4, 5 to 16 and above. A stack of blocks is a recipe with a number `depth`;
its width is its `width` or `embed`. A number of which one cell has no value has none, and names that cell.

)";

constexpr const char* kFindingsIntroduction = R"(
## Findings, reversed orders and claims

`ngb show --findings` prints sentences that are generated from verdicts and from nothing else; `--json` has them under
`conclusions`, each with the rows behind it. The questions of one kind are judged together as in `ngb compare`, with Benjamini's
and Hochberg's procedure at 5 %. A kind says that something differs only if "nothing differs in any of these questions" is
rejected (Simes) at 1 % divided by the number of kinds: of studies in which nothing differs, at most 1 % have any such sentence.
With three processes only large differences pass.

The answer, with which `ngb show` and the page begin, makes multiple comparisons with the best (Hsu 1981): a compiler may be the
fastest of a workload unless it is told slower than the one with the highest speed there. Its p value is k/2 times that of the two-sided
test of the two, k being the compilers of the workload, any of which might have come out highest; Benjamini's and Hochberg's
procedure over all of them bounds the rest. If no other one may be the fastest, the highest "is the fastest"; else the answer names all
that may be, and how many rounds would likely tell the hardest open pair apart. In simulated studies of 2, 3, 6 and 14 equal
compilers, and of 14 of which one is 1 % faster, those named contain the fastest in more than 95 %. The answer has the speed
of the fastest that was measured, b / T for an inference and T, and says "at least" a factor: the least lower end of the
intervals of all workloads of the sentence. It says no factor where a side has fewer than three processes or one of the flags
that forbid it, and "the same within 3 %" where the interval lies within the margin.

A reversed order is a pair of models, or of compilers, of which one is faster on one side and slower on the other. Two models
that are alike in size (equal `size` in the study, or parameters or multiply-accumulates within its `size_factor`, 1.5) are compared between any two pairs of device and compiler at one batch
size, and between two batch sizes; two compilers on one model between two devices and between two batch sizes. The p value is the
larger one of the two orders, and Benjamini's and Hochberg's procedure over all comparisons keeps the expected share of false
ones below 5 %. In 200 simulated studies without differences (3 models, 3 compilers, 2 batch sizes, 5 processes) none had any
reversal; the sentences' rate is tested with the same ones.

| kind of finding | question |
| --- | --- |
)";

constexpr const char* kClaims = R"(
Claims that somebody has published are tested for each compiler on each device ([the paper's](reproduce-paper.md#claims)). The
quantity of a claim is the one that its sentence speaks of. A claim holds here if its quantity is told to be on the claimed side of
the bound and the interval is not entirely within 3 % of the bound. It does not hold if the quantity is told to be on the other
side, or to be at the bound within 3 %. Otherwise it is undecided. A claim about the highest of k values is tested as such: with k
times the p value of the highest, and an interval that is made of the k values' simultaneous ones; it does not hold only if all of
them are below the bound. A cell counts once, although several ratios may contain it. Claims that are not about blocks are tested
on whole networks; stacks of blocks count where a compiler has nothing else.
)";

constexpr const char* kLimitIntroduction = R"(
## The limit

`ngb calibrate --peak` measures what a device can do at the most, and `ngb explain` and the page's section *Why* have the share of it that
a cell and each region of its model reach ([explain](explain.md#the-share-of-the-limit)). The peak is kept by environment, threads and
compute device, not in results, so these numbers are not among those of `ngb show`.

| name | unit | formula | source |
| --- | --- | --- | --- |
)";

// Returns the sections that are made from the tables in src/metrics/series.
std::string series_markdown() {
  std::string page = kSeriesIntroduction;
  page +=
      "| name | heading | unit | formula | source | interval | truth |\n| --- | --- | --- | --- | --- | --- | --- |\n";
  for (const series::Series& series : series::all_series()) {
    page += fmt::format("| `{}` | {} | {} | {} | {} | {} | `{}` |\n", series.name, series.heading, series.unit,
                        series.formula, series.source, series.has_interval ? "yes" : "", series.truth);
  }
  page += kFindingsIntroduction;
  for (const series::FindingKind& kind : series::finding_kinds()) {
    page += fmt::format("| `{}` | {} |\n", kind.name, kind.question);
  }
  return page + kClaims;
}

// What a verdict is made of, for people.
struct Judging {
  const char* by = "ratio of the processes";
  const char* interval = "Student's t of the rounds' logarithms";
};

Judging judging_of(Better better) {
  switch (better) {
    case Better::lower_exactly:
      return {"ratio, exactly where no process differs from the others of its side",
              "none; Student's t of the rounds' logarithms where one differs"};
    case Better::lower_by_difference:
      return {"difference of the processes, exactly where none differs from the others of its side",
              "Student's t of the rounds' differences"};
    case Better::higher_by_inputs:
      return {"difference of the inputs that both sides were compared over", "Student's t of the inputs' differences"};
    case Better::neither:
    case Better::higher:
    case Better::lower:
      break;
  }
  return {};
}

constexpr const char* kJudgedByDifference = R"(
A quantity that may be 0 has no ratio: growth and agreement are judged by the candidate's value less the baseline's, and their
margin is in their unit (`memory_growth_bytes_per_inference:1kB`, `agreement_ratio:2%`, which are two percentage points). Where an
agreement is judged so, its margin decides; else a pair whose agreement has fallen is a regression by whatever metric.

A metric *ends rounds* (`metric: NAME` in a study, [measurement](measurement.md#rounds-until-it-is-decided)) if a single
process says it, so that a device can judge it after each round.

`tests/truth/figures.py metrics_judged leaks` simulates how often such verdicts, and leaks, are told falsely and are found.
)";

bool can_end_rounds(const Metric& metric) {
  return std::string_view(metric.name) == Judged{}.name() || samples::can_decide(metric.name);
}

// Returns the section of the metrics by which `ngb compare` and `ngb gate` judge.
std::string verdicts_markdown() {
  std::string page =
      "\n## Verdicts by other metrics\n\n`--metric NAME` of `ngb compare` and `ngb gate` "
      "([results](results.md#by-another-metric-than-the-speed)), `ngb bisect`, `ngb show`, `ngb report` and `ngb "
      "choose` "
      "takes these; an answer (`show`, `report`) can be by those of processes only.\n\n| name | unit | "
      "better "
      "| judged by | interval | margin | ends rounds |\n| --- | --- | --- | --- | --- | --- | --- |\n";
  for (const Metric& metric : metrics()) {
    if (metric.better == Better::neither) continue;
    const Judging judging = judging_of(metric.better);
    page += fmt::format("| `{}` | {} | {} | {} | {} | {} | {} |\n", metric.name, metric.unit,
                        metric.is_higher_better() ? "higher" : "lower", judging.by, judging.interval,
                        parse_judged(metric.name, statistics::VerdictRules{}.margin_ratio)->margin_in_words(),
                        can_end_rounds(metric) ? "yes" : "");
  }
  return page + kJudgedByDifference;
}

}  // namespace

std::string to_markdown() {
  std::string page = kIntroduction;
  page +=
      "\n## The table\n\n*truth*: the case of [tests/truth](../tests/truth) that would fail if the definition were "
      "another ([correctness](correctness.md#counts)).\n\n| name | column | unit | formula | source | interval | truth "
      "|\n| --- | --- | --- | --- | --- | --- | --- |\n";
  for (const Metric& metric : metrics()) {
    page += fmt::format("| `{}` | {}{} | {} | {} | {} | {} | `{}` |\n", metric.name, metric.heading,
                        metric.rank > 0 ? "" : " (--all)", metric.unit, metric.formula, metric.source,
                        metric.has_interval ? "yes" : "", metric.truth);
  }
  page += verdicts_markdown();
  page += kLimitIntroduction;
  for (const LimitMetric& metric : limit_metrics()) {
    page += fmt::format("| `{}` | {} | {} | {} |\n", metric.name, metric.unit, metric.formula, metric.source);
  }
  page += series_markdown();
  page += kIntervals;
  page +=
      "\n## Flags\n\nA flag is a reason to check a number. It does not remove the number. The table of `ngb show` has "
      "the "
      "marks of\nthose that cast doubt on it, and counts the others; `--notes` names all of them.\n\n";
  page += "| flag | mark | raised when | what it means | forbids factors |\n| --- | --- | --- | --- | --- |\n";
  for (const Flag& flag : flag_table()) {
    page += fmt::format("| `{}` | {} | {} | {} | {} |\n", flag.name, flag.mark, flag.threshold, flag.meaning,
                        flag.forbids_factors ? "yes" : "");
  }
  return page;
}

}  // namespace ngb::metrics
