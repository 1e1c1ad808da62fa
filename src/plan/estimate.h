// SPDX-License-Identifier: Apache-2.0
// Estimates how long a plan takes, from what was measured before on the same devices and from a table otherwise. Pure.
#pragma once

#include <array>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plan/durations.h"
#include "plan/plan.h"
#include "work/compiler.h"
#include "work/usual_times.h"

namespace ngb::plan {

// On a GPU, whatever the compiler and its threads: MACs per second of inference, between those of a board and of a
// workstation's card, and the least time to start, because the driver's context is made in each process.
inline constexpr double kGpuMacs_per_s = 1e12;
inline constexpr double kGpuStart_s = 2;

// The times of a compiler that an installation's compiler.json gives.
struct UsualCompiler {
  work::UsualTimes times{};
  std::optional<work::UsualTimes> tuned{};  // if its options ask for tuning; nothing: the same
  bool is_for_gpus = false;                 // it compiles for nothing else
};

// Returns how long a cell's first process looks longer (docs/measurement.md), with both allocators, if its phases took
// `process_s` and its timed phase `timed_s` of that.
double longer_look_s(const work::Protocol& protocol, double process_s, double timed_s);

// The knowledge that an estimate needs beside the plan.
struct Experience {
  Durations durations{};
  std::string here{};                            // the local device's name in `durations`
  std::string study{};                           // hash of what the plan measures
  std::set<std::string> file_makers{};           // compilers whose artifact another process can load
  std::map<std::string, UsualCompiler> usual{};  // by the compiler's name
};

// A cell's processes, in seconds.
struct CellTime {
  double first_s = 0;  // the first process, with tuning
  double look_s = 0;   // of that, what only the first one does after its repetitions
  double other_s = 0;  // each of the others
  Basis basis = Basis::table;
};

struct Estimate {
  double seconds = 0;                         // of the device that takes longest; devices work at the same time
  std::vector<CellTime> cells{};              // of each cell of the plan
  std::map<std::string, double> between_s{};  // of each device: what passes while no process runs
  std::array<int, kBases> cells_by_basis{};
  std::size_t measured_processes = 0;  // that it rests on
};

// A process takes start + compile + warm-up + repetitions; the first of a cell also tunes and looks longer, and with
// `compile: once` or `auto` the others load instead of compiling, if the compiler makes a file. A repetition takes
// max(min_repetition_ms, inference). What Durations::find returns for another model or batch is scaled as the table's
// times are; where it returns nothing, work::UsualTimes count: an inference takes 50 us + macs / (rate *
// threads), a model without known MACs counts as 1 GMAC a sample, the output check takes one inference, five
// repetitions are warm-up if the study gives no number, and each trial of tuning takes 3 s. With stop_when, every
// process is assumed to stop at 100 repetitions or after max_s, within the study's least and largest number of
// repetitions. Between processes passes what Durations::between_s says, else 0.5 s, 0.1 s for each group, 0.5 s and
// 0.05 s for each million parameters of a model that was not measured before, and the imports of Python's compilers.
Estimate estimate(const Plan& plan, const Experience& experience = {});

// Returns the studies that the plan is for each of its devices, by the plan's names. Their between_s is 0.
std::map<std::string, MeasuredStudy> studies_of(const Plan& plan, const Experience& experience);

// Returns the last lines that `ngb plan` prints: the time, what it rests on, and what sharing compilations would save.
std::string estimate_text(const Plan& plan, const Experience& experience);
// Returns the members `estimate_s` and `estimate_basis` of the plan's JSON.
nlohmann::json estimate_json(const Plan& plan, const Experience& experience);

}  // namespace ngb::plan
