// SPDX-License-Identifier: Apache-2.0
// The rows of the table of flags and their functions.
#include <algorithm>
#include <array>
#include <set>

#include "metrics/metric.h"
#include "metrics/outcome.h"
#include "metrics/statistics.h"

namespace ngb::metrics {
namespace {

// Every known value of the readings whose quantity begins so, over the completed processes.
std::vector<double> readings(const store::CellData& cell, std::string_view prefix, std::string_view when) {
  std::vector<double> values;
  for (const samples::ProcessResult& process : cell.processes) {
    for (const samples::Reading& reading : process.readings) {
      const bool is_meant = reading.quantity.starts_with(prefix) && (when.empty() || reading.when == when);
      if (is_meant && reading.value.value) values.push_back(*reading.value.value);
    }
  }
  return values;
}

std::optional<double> highest_above(const std::vector<double>& values, double threshold) {
  const auto highest = std::max_element(values.begin(), values.end());
  return highest != values.end() && *highest > threshold ? std::optional(*highest) : std::nullopt;
}

std::optional<double> count(std::ptrdiff_t found) {
  return found > 0 ? std::optional(static_cast<double>(found)) : std::nullopt;
}

std::optional<double> not_steady(const Evidence& evidence) {
  const auto& processes = evidence.cell.processes;
  return count(
      std::count_if(processes.begin(), processes.end(), [](const auto& process) { return !process.is_steady; }));
}

std::optional<double> spread(const Evidence& evidence) {
  return evidence.spread_ratio.value_or(0) > 0.10 ? evidence.spread_ratio : std::nullopt;
}

std::optional<double> unstable(const Evidence& evidence) {
  return evidence.spread_ratio.value_or(0) > 0.25 ? evidence.spread_ratio : std::nullopt;
}

std::optional<double> steal(const Evidence& evidence) {
  return highest_above(readings(evidence.cell, "steal", "timed"), 1);
}

std::optional<double> pressure(const Evidence& evidence) {
  return highest_above(readings(evidence.cell, "pressure_cpu_some", "timed"), 5);
}

// A page costs the kernel about a microsecond, so 10,000 of them about 1 % of a second.
std::optional<double> page_faults(const Evidence& evidence) {
  return highest_above(readings(evidence.cell, "page_faults", "timed"), 10'000);
}

// The lowest clock as a share of the highest.
std::optional<double> throttled(const Evidence& evidence) {
  const std::vector<double> clocks = readings(evidence.cell, "frequency", "");
  if (clocks.empty() || evidence.highest_frequency_hz.value_or(0) <= 0) return std::nullopt;
  const double share = *std::min_element(clocks.begin(), clocks.end()) / *evidence.highest_frequency_hz;
  return share < 0.75 ? std::optional(share) : std::nullopt;
}

std::optional<double> extra_threads(const Evidence& evidence) {
  std::vector<double> threads;
  for (const samples::ProcessResult& process : evidence.cell.processes) {
    if (process.threads_used.value) threads.push_back(*process.threads_used.value);
  }
  return highest_above(threads, evidence.cell.threads);
}

std::optional<double> mixed_environment(const Evidence& evidence) {
  std::set<std::string> hashes;
  for (const samples::ProcessResult& process : evidence.cell.processes) hashes.insert(process.environment_hash);
  return hashes.size() > 1 ? std::optional(static_cast<double>(hashes.size())) : std::nullopt;
}

std::optional<double> unchecked(const Evidence& evidence) {
  const auto& processes = evidence.cell.processes;
  return count(std::count_if(processes.begin(), processes.end(),
                             [](const auto& process) { return !process.check || process.check->reference == "none"; }));
}

std::optional<double> incomplete(const Evidence& evidence) {
  return count(evidence.cell.planned_processes - static_cast<std::ptrdiff_t>(evidence.cell.processes.size()));
}

std::optional<double> retried(const Evidence& evidence) {
  return count(static_cast<std::ptrdiff_t>(evidence.cell.failed.size()));
}

// name, threshold, meaning, raised_by
constexpr std::array kFlags{
    Flag{"not_steady", "a process found no steady part within the bound",
         "the speed was still changing when its repetitions were timed", not_steady},
    Flag{"spread", "IQR / median > 10 %", "repetitions differ much: look for other load on the machine", spread},
    Flag{"unstable", "IQR / median > 25 %", "do not rely on this number: measure again on a quiet machine", unstable},
    Flag{"steal", "steal > 1 % in a timed phase", "the host gave processor time to other virtual machines", steal},
    Flag{"pressure", "PSI some (CPU) > 5 % in a timed phase", "programs had to wait for a processor", pressure},
    Flag{
        "page_faults", "more than 10,000 page faults/s in a timed phase",
        "the allocator gives memory back to the kernel and takes it anew in every inference, which costs percents; how "
        "often is an accident of what else lies in memory: compare with MALLOC_MMAP_MAX_=0 and MALLOC_TRIM_THRESHOLD_",
        page_faults},
    Flag{"throttled", "clock < 75 % of its highest in these results", "the processor was slowed down, by heat or power",
         throttled},
    Flag{"extra_threads", "more threads used processor time than the study allows",
         "the compiler worked with more threads than the others: no equal conditions", extra_threads},
    Flag{"mixed_environment", "processes from more than one environment",
         "something about the machine changed between the processes of this cell", mixed_environment},
    Flag{"unchecked", "outputs not compared with a reference", "the outputs may be wrong", unchecked},
    Flag{"incomplete", "fewer completed processes than planned", "the rest failed, or is still to come", incomplete},
    Flag{"retried", "an attempt failed", "a process failed before another attempt went well, or for good", retried},
};

}  // namespace

std::span<const Flag> flag_table() { return kFlags; }

std::vector<std::string> flags(const store::CellData& cell) {
  std::vector<std::string> raised;
  if (cell.processes.empty() || decisive_failure(cell) != nullptr) return raised;
  Evidence evidence{cell};
  const std::vector<double>& sorted = steady(cell).throughput_sorted;
  if (sorted.size() >= 4) {
    evidence.spread_ratio =
        (quantile_of_sorted(sorted, 0.75) - quantile_of_sorted(sorted, 0.25)) / quantile_of_sorted(sorted, 0.5);
  }
  evidence.highest_frequency_hz = highest_above(readings(cell, "frequency", ""), 0);
  for (const Flag& flag : kFlags) {
    if (flag.raised_by(evidence)) raised.emplace_back(flag.name);
  }
  return raised;
}

}  // namespace ngb::metrics
