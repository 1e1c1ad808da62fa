// SPDX-License-Identifier: Apache-2.0
// Answers SIGPLAN's checklist for empirical evaluations (Berger, Blackburn, Hauswirth, Hicks; 2018) from the results.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string_view>

#include "base/text.h"
#include "metrics/series/workload.h"
#include "report/page/html.h"
#include "report/page/page_parts.h"
#include "report/words.h"

namespace ngb::report::page {
namespace {

using store::CellData;
using NameSet = std::set<std::string>;
using Fields = std::vector<std::string>;

// What the answers need to know of the results.
struct Facts {
  std::size_t measured = 0;  // cells with numbers
  std::size_t failed = 0;
  std::size_t disturbed = 0;
  std::size_t planned = 0;
  std::size_t flagged = 0;
  NameSet devices{};
  NameSet compilers{};
  NameSet batch_sizes{};
  NameSet threads{};
  NameSet precisions{};
  NameSet loads{};
  NameSet models{};
  NameSet groups{};
  NameSet stacks{};   // models that are stacks of equal blocks
  NameSet recipes{};  // models that NGraphBench makes
  std::size_t fewest_processes = std::numeric_limits<std::size_t>::max();
  std::size_t most_processes = 0;
};

void count(Facts& facts, const Results& results, const CellData& cell) {
  const Status status = status_of(cell);
  if (status == Status::failed) ++facts.failed;
  if (status == Status::disturbed) ++facts.disturbed;
  if (status == Status::planned) ++facts.planned;
  if (!results.numbers.flags(cell).empty()) ++facts.flagged;
  if (status != Status::measured && status != Status::partial) return;
  ++facts.measured;
  facts.fewest_processes = std::min(facts.fewest_processes, cell.processes.size());
  facts.most_processes = std::max(facts.most_processes, cell.processes.size());
}

Facts facts_of(const Results& results, const Labels& labels) {
  Facts facts;
  for (const CellData* cell : results.cells) {
    count(facts, results, *cell);
    facts.devices.insert(labels.device(*cell));
    facts.compilers.insert(labels.compiler(*cell));
    facts.batch_sizes.insert(std::to_string(cell->of.model.key.batch));
    facts.threads.insert(threads_of(*cell));
    facts.precisions.insert(cell->of.compiler.precision);
    facts.loads.insert(cell->of.load);
    facts.models.insert(cell->of.model.label);
    facts.groups.insert(metrics::series::model_group_of(*cell));
    if (metrics::series::block_of(*cell)) facts.stacks.insert(cell->of.model.label);
    if (!cell->of.model.family.empty()) facts.recipes.insert(cell->of.model.label);
  }
  return facts;
}

// Returns "a, b and 3 more".
std::string listed(const NameSet& names) {
  constexpr std::size_t kMost = 12;
  std::vector<std::string> shown;
  for (const std::string& name : names) {
    if (shown.size() < kMost) shown.push_back(name);
  }
  const std::size_t more = names.size() - shown.size();
  return text::join(shown, ", ") + (more == 0 ? "" : fmt::format(" and {} more", more));
}

// Returns how many cells have a value of the metric.
std::size_t cells_with(const Results& results, std::string_view metric) {
  return static_cast<std::size_t>(std::count_if(results.cells.begin(), results.cells.end(), [&](const CellData* cell) {
    return results.numbers.of(*cell, metric).value.has_value();
  }));
}

// Returns "30 to 50", or "–" if no cell has a value.
std::string range_of(const Results& results, std::string_view metric) {
  std::optional<double> low;
  std::optional<double> high;
  for (const CellData* cell : results.cells) {
    const std::optional<double> value = results.numbers.of(*cell, metric).value;
    if (!value) continue;
    low = std::min(low.value_or(*value), *value);
    high = std::max(high.value_or(*value), *value);
  }
  if (!low) return "–";
  return *low == *high ? fmt::format("{:.0f}", *low) : fmt::format("{:.0f} to {:.0f}", *low, *high);
}

std::string processes_of(const Facts& facts) {
  if (facts.measured == 0) return "No cell is measured.";
  return facts.fewest_processes == facts.most_processes
             ? fmt::format("{} {}.", facts.most_processes, facts.most_processes == 1 ? "process" : "processes")
             : fmt::format("{} to {} processes.", facts.fewest_processes, facts.most_processes);
}

NameSet processors_of(const Content& content) {
  NameSet processors;
  for (const store::MeasuredEnvironment& each : *content.environments) {
    for (const samples::EnvironmentEntry& entry : each.environment.entries) {
      if (entry.name == "cpu_model" && entry.value.value) processors.insert(*entry.value.value);
    }
  }
  return processors;
}

// Who answers the item.
constexpr const char* kResults = "these results";
constexpr const char* kMethod = "the method";
constexpr const char* kAuthor = "you";

std::vector<Fields> rows_on_claims(const Content& content, const Facts& facts) {
  const std::size_t sentences = content.findings.size() + content.to_act_on.size();
  return {
      {"Claims: explicit", kAuthor,
       fmt::format("The findings above are {}, each with the rows that bear it. Name for each claim of your own the "
                   "finding or the table on which it rests.",
                   counted(sentences, "sentence"))},
      {"Claims: appropriately scoped", kResults,
       fmt::format("Measured on: {}. Compilers: {}. Batch sizes: {}. Precision: {}. The results say nothing of others.",
                   listed(facts.devices), listed(facts.compilers), listed(facts.batch_sizes),
                   listed(facts.precisions))},
      {"Claims: limitations acknowledged", kResults,
       fmt::format("{} failed, {} disturbed, {} not measured yet; {} with a flag. All are listed above.",
                   counted(facts.failed, "cell"), facts.disturbed, facts.planned, facts.flagged)}};
}

std::vector<Fields> rows_on_comparison(const Content& content, const Facts& facts) {
  const Results& results = *content.results;
  return {
      {"Comparison: appropriate baseline", kResults,
       fmt::format("The baseline is {}. {} of {} have a speed-up over it.", results.baseline.in_a_sentence(),
                   cells_with(results, "speed_up_ratio"), counted(facts.measured, "measured cell"))},
      {"Comparison: fair", "these results and you",
       fmt::format("Outputs are checked against a reference. Threads: {}. Precision: {}. Options of compilers are in "
                   "the table Compilers; say whether each was configured with equal care.",
                   listed(facts.threads), listed(facts.precisions))}};
}

// Returns what the author has to justify about the choice of models.
std::string words_on_suite(const Facts& facts) {
  const std::size_t own = facts.models.size() - facts.recipes.size();
  std::string words = "Say why these models.";
  if (!facts.recipes.empty()) {
    words += fmt::format(
        " {} made by NGraphBench: the published architectures with random weights, which say nothing of accuracy.",
        counted(facts.recipes.size(), "model"));
  }
  if (own > 0) words += fmt::format(" {} of your own.", counted(own, "model"));
  return words;
}

std::vector<Fields> rows_on_benchmarks(const Facts& facts) {
  return {{"Benchmarks: appropriate suite", kResults,
           fmt::format("{} in {}: {}.", counted(facts.models.size(), "model"), counted(facts.groups.size(), "group"),
                       listed(facts.groups))},
          {"Benchmarks: non-standard suite justified", kAuthor, words_on_suite(facts)},
          {"Benchmarks: applications, not just kernels", kResults,
           fmt::format("{} of equal blocks and {}. What surrounds a network in an application is not measured.",
                       counted(facts.stacks.size(), "stack"),
                       counted(facts.models.size() - facts.stacks.size(), "whole network"))}};
}

std::vector<Fields> rows_on_analysis(const Results& results, const Facts& facts) {
  return {
      {"Analysis: sufficient number of trials", kResults,
       fmt::format("For each measured cell: {} Steady repetitions in them together: {}. Where an interval contains 1, "
                   "they were too few to tell the two apart.",
                   processes_of(facts), range_of(results, "repetition_count"))},
      {"Analysis: appropriate summary statistics", kMethod,
       "Geometric means over fresh processes and over workloads; intervals of 95 % by Student's t, with the process "
       "as its unit. Many comparisons are judged together (Benjamini and Hochberg)."},
      {"Analysis: distribution reported", kResults,
       fmt::format("Standard deviations and percentiles are metrics of this page; every repetition is in the results "
                   "file, and those of up to 24 cells are in the figure of repetitions. {} of {} have the 99th "
                   "percentile, which needs many repetitions.",
                   cells_with(results, "latency_p99_s"), counted(facts.measured, "measured cell"))}};
}

std::vector<Fields> rows_on_metrics(const Results& results, const Facts& facts) {
  return {
      {"Metrics: direct, or an appropriate proxy", kMethod,
       "Throughput and latency of inference are timed on the device itself. Nothing is simulated or derived from "
       "counts "
       "of operations."},
      {"Metrics: all important effects", kResults,
       fmt::format("Of {}: {} with a compile time, {} with peak memory, {} with use of the processor, {} with use of a "
                   "GPU. Energy is not measured.",
                   counted(facts.measured, "measured cell"), cells_with(results, "compile_total_s"),
                   cells_with(results, "timed_peak_bytes"), cells_with(results, "cpu_percent"),
                   cells_with(results, "gpu_percent"))}};
}

std::vector<Fields> rows_on_design(const Content& content, const Facts& facts) {
  const NameSet processors = processors_of(content);
  const std::string platform = processors.empty() ? "No device has described its processor" : listed(processors);
  return {
      {"Design: sufficient information to repeat", kResults,
       fmt::format("Protocol, versions, options and {} of devices are on this page; the results file has every "
                   "repetition, and the study file starts it again.",
                   counted(content.environments->size(), "description"))},
      {"Design: reasonable platform", kAuthor,
       fmt::format("{}. Say why it stands for the machines that you speak of.", platform)},
      {"Design: key parameters explored", kResults,
       fmt::format("Batch sizes: {}. Threads: {}. Precision: {}. Loads beside it: {}. Settings of compilers: {}.",
                   listed(facts.batch_sizes), listed(facts.threads), listed(facts.precisions), listed(facts.loads),
                   facts.compilers.size())},
      {"Design: open loop in the workload generator", kMethod,
       "No: an inference starts when the last one has ended, or as many are in flight as `in_flight` says, in as many "
       "processes at once as `instances` says. Latencies hold for that load and contain no waiting of requests."},
      {"Design: cross-validation where needed", kMethod, "Not needed: nothing is fitted to these data."}};
}

std::vector<Fields> rows_on_presentation() {
  return {{"Presentation: comprehensive summary", kMethod,
           "Every cell is in the tables, with its reason where it has no number."},
          {"Presentation: axes include zero", kMethod,
           "Axes of ratios, speeds and times are logarithmic and have no zero; those of ratios mark 1, and bars begin "
           "there. Axes of the use of the processor begin at zero."},
          {"Presentation: ratios plotted correctly", kMethod,
           "On logarithmic axes: twice as fast is as far from 1 as half as fast."},
          {"Presentation: appropriate precision", kMethod,
           "Tables show at most four digits, and the ends of an interval with as many decimals as the value."}};
}

}  // namespace

Part checklist(const Content& content, const Labels& labels) {
  const Results& results = *content.results;
  const Facts facts = facts_of(results, labels);
  std::vector<Fields> rows;
  for (const std::vector<Fields>& part :
       {rows_on_claims(content, facts), rows_on_comparison(content, facts), rows_on_benchmarks(facts),
        rows_on_analysis(results, facts), rows_on_metrics(results, facts), rows_on_design(content, facts),
        rows_on_presentation()}) {
    rows.insert(rows.end(), part.begin(), part.end());
  }
  return {"checklist", "Checklist for a paper", counted(rows.size(), "item"),
          "<p>For a paper that uses these results. <em>These results</em> and <em>the method</em> answer what they "
          "can; what is "
          "left to <em>you</em> they cannot know.</p>\n" +
              html_table("SIGPLAN's checklist for empirical evaluations", {"item", "answered by", "answer"}, rows)};
}

}  // namespace ngb::report::page
