// SPDX-License-Identifier: Apache-2.0
// The timed loop's own cost per repetition of one inference, on the compiler that does nothing, beside the two clock
// reads that no loop can do without. Fails (exit 1) above 100 ns.
#include <benchmark/benchmark.h>
#include <time.h>

#include <cstdio>
#include <string>
#include <vector>

#include "worker/loop.h"
#include "worker/plugin.h"
#include "worker/plugin_session.h"

namespace {

constexpr std::size_t kRepetitions = 100'000;
constexpr double kLimit_ns = 100;

void two_clock_reads(benchmark::State& state) {
  struct timespec begin;
  struct timespec end;
  for (auto _ : state) {
    ::clock_gettime(CLOCK_MONOTONIC, &begin);
    ::clock_gettime(CLOCK_MONOTONIC, &end);
    benchmark::DoNotOptimize(begin);
    benchmark::DoNotOptimize(end);
  }
}

void repetition_of_one_inference(benchmark::State& state) {
  const auto compiler = ngb::worker::open_plugin(NGB_NULL_PLUGIN);
  ngb::worker::Session session(**compiler);
  if (!session.open({})) return state.SkipWithError("null does not open");
  ngb::samples::RunCount done;
  std::vector<std::int64_t> walls_ns(kRepetitions);
  std::vector<std::int64_t> begins_ns(kRepetitions);
  ngb_status status = NGB_OK;
  while (state.KeepRunningBatch(kRepetitions)) {
    ngb::worker::run_repetitions(session.target(&done), 1, {walls_ns, begins_ns}, &status);
  }
}

BENCHMARK(two_clock_reads)->Repetitions(5)->ReportAggregatesOnly();
BENCHMARK(repetition_of_one_inference)->Repetitions(5)->ReportAggregatesOnly();

// Prints as usual, and remembers the loop's median.
class Reporter final : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      const bool is_ours = run.benchmark_name().find("repetition_of_one_inference") != std::string::npos;
      if (is_ours && run.aggregate_name == "median") median_ns_ = run.GetAdjustedCPUTime();
    }
    ConsoleReporter::ReportRuns(runs);
  }
  [[nodiscard]] double median_ns() const { return median_ns_; }

 private:
  double median_ns_ = 1e9;
};

}  // namespace

int main(int count, char** arguments) {
  benchmark::Initialize(&count, arguments);
  Reporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  const bool is_cheap = reporter.median_ns() <= kLimit_ns;
  std::printf("%.1f ns a repetition, allowed %.0f ns: %s\n", reporter.median_ns(), kLimit_ns,
              is_cheap ? "ok" : "TOO MUCH");
  return is_cheap ? 0 : 1;
}
