// SPDX-License-Identifier: Apache-2.0
// From a results file: the share of a study's wall time that is neither start-up of the worker, opening, compiling,
// checking, warming up nor timed work.
//   harness_tax RESULTS_FILE [LIMIT_PERCENT]     exit code 1: above the limit
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "store/store.h"

namespace {

using namespace ngb;

struct Time {
  double processes_s = 0;  // wall time of worker processes
  double phases_s = 0;     // of their phases
  double between_s = 0;    // from the first start to the last end, less the processes and the pauses
  double pauses_s = 0;     // gaps of more than a minute between processes: the run stood still
};

// Processes of one device run one after the other; those of failed attempts count as well.
Time add_up(std::vector<const samples::ProcessResult*> processes) {
  constexpr double kPauseS = 60;
  std::sort(processes.begin(), processes.end(),
            [](const auto* a, const auto* b) { return a->started_unix_ns < b->started_unix_ns; });
  Time time;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const samples::ProcessResult& process = *processes[i];
    time.processes_s += static_cast<double>(process.wall_ns) * 1e-9;
    for (const samples::PhaseUse& use : process.phases) time.phases_s += static_cast<double>(use.wall_ns) * 1e-9;
    if (i == 0) continue;
    const samples::ProcessResult& before = *processes[i - 1];
    const double gap_s = static_cast<double>(process.started_unix_ns - before.started_unix_ns - before.wall_ns) * 1e-9;
    (gap_s > kPauseS ? time.pauses_s : time.between_s) += gap_s;
  }
  return time;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    fmt::print(stderr, "harness_tax RESULTS_FILE [LIMIT_PERCENT]\n");
    return 2;
  }
  auto store = store::Store::open(argv[1], store::Mode::read_only);
  const auto cells = store ? store->load_cells() : Result<std::vector<store::CellData>>(tl::unexpected(store.error()));
  if (!cells) {
    fmt::print(stderr, "{}\n", cells.error().text());
    return 3;
  }
  std::vector<const samples::ProcessResult*> processes;
  for (const store::CellData& cell : *cells) {
    for (const samples::ProcessResult& process : cell.processes) processes.push_back(&process);
    for (const samples::ProcessResult& process : cell.failed) processes.push_back(&process);
  }
  if (processes.empty()) {
    fmt::print(stderr, "{}: holds no process yet\n", argv[1]);
    return 3;
  }
  const Time time = add_up(processes);
  const double total_s = time.processes_s + time.between_s;
  const double within_s = time.processes_s - time.phases_s;
  const double tax_percent = 100 * (within_s + time.between_s) / total_s;
  fmt::print("{} processes, {:.3f} s from the first start to the last end", processes.size(), total_s);
  if (time.pauses_s > 0) fmt::print(" (and {:.0f} s of pauses)", time.pauses_s);
  fmt::print("\nphases of workers           {:10.3f} s {:6.2f} %\n", time.phases_s, 100 * time.phases_s / total_s);
  fmt::print("within processes, no phase  {:10.3f} s {:6.2f} %\n", within_s, 100 * within_s / total_s);
  fmt::print("between processes           {:10.3f} s {:6.2f} %\n", time.between_s, 100 * time.between_s / total_s);
  fmt::print("harness tax                 {:10.3f} s {:6.2f} %\n", within_s + time.between_s, tax_percent);
  return argc == 3 && tax_percent > std::atof(argv[2]) ? 1 : 0;
}
