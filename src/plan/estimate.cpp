// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "plan/plan.h"

namespace ngb::plan {
namespace {

constexpr double kStudy_s = 5;                    // importing an interpreter's packages, starting the agent
constexpr double kModel_s = 2;                    // writing the file, computing the reference outputs
constexpr double kProcess_s = 1;                  // starting, opening the library, checking the outputs
constexpr double kCompilePerParameter_s = 1e-8;   // 0.25 s for ResNet-50
constexpr double kCall_s = 50e-6;                 // an inference without its arithmetic
constexpr double kMacsPerThreadPerSecond = 40e9;  // f32, ResNet-50 on one thread: 0.1 s
constexpr double kMacsPerSampleOfAFile = 1e9;     // if the MACs are unknown
constexpr double kWarmUpRepetitions = 5;          // if the study does not give their number
constexpr double kRepetitionsToPrecision = 100;   // assumed with stop_when

double seconds_of(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e9; }

double repetition_s(const Plan& plan, const work::Cell& cell) {
  const work::Model& model = plan.model_of(cell);
  const double macs = model.macs ? static_cast<double>(*model.macs) : kMacsPerSampleOfAFile * model.key.batch;
  const double inference_s = kCall_s + macs / (kMacsPerThreadPerSecond * plan.compiler_of(cell).threads);
  return std::max(inference_s, seconds_of(plan.study.protocol.min_repetition_ns));
}

double process_s(const Plan& plan, const work::Cell& cell) {
  const work::Model& model = plan.model_of(cell);
  const double compile_s = kCompilePerParameter_s * static_cast<double>(model.parameters.value_or(0));
  const double one_s = repetition_s(plan, cell);
  const double warm_up_s = one_s * (plan.study.protocol.warm_up ? *plan.study.protocol.warm_up : kWarmUpRepetitions);
  const auto one_ns = static_cast<std::int64_t>(one_s * 1e9);
  double timed_s = one_s * plan.study.protocol.repetitions.value_or(work::repetitions_by_time(one_ns));
  if (const auto& stop = plan.study.protocol.stop_when) {
    const double repetitions = std::clamp(kRepetitionsToPrecision, static_cast<double>(stop->min_repetitions),
                                          static_cast<double>(stop->max_repetitions));
    timed_s = std::min(one_s * repetitions, std::max(seconds_of(stop->max_ns), one_s * stop->min_repetitions));
  }
  return kProcess_s + compile_s + warm_up_s + timed_s;
}

}  // namespace

double estimate_seconds(const Plan& plan) {
  double seconds = kStudy_s + kModel_s * static_cast<double>(plan.groups.size());
  // Most questions are decided by the first look.
  const auto& until_decided = plan.study.protocol.rounds;
  const int rounds = until_decided ? until_decided->min : plan.study.protocol.processes;
  for (const work::Cell& cell : plan.cells) seconds += rounds * process_s(plan, cell);
  return seconds;
}

}  // namespace ngb::plan
