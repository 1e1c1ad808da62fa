// SPDX-License-Identifier: Apache-2.0
#include "samples/process_result.h"

#include <algorithm>

namespace ngb::samples {

Origin origin_of(const ProcessResult& result) {
  return {result.made_with.build(), result.made_with.model_sha256, result.environment_hash};
}

double seconds_of_phase(const ProcessResult& process, Phase phase) {
  double seconds = 0;
  for (const PhaseUse& use : process.phases) {
    if (use.phase == phase) seconds += static_cast<double>(use.wall_ns) * 1e-9;
  }
  return seconds;
}

namespace {

Known<double> inferences_of_repetitions(const ProcessResult& process, Phase phase) {
  const auto use = std::find_if(process.phases.begin(), process.phases.end(),
                                [&](const PhaseUse& each) { return each.phase == Phase::timed; });
  double sum = 0;
  for (const Repetition& each : process.repetitions) {
    const bool has_times = use != process.phases.end() && use->started_ns && each.started_ns && each.instance == 0;
    if (!has_times) return Known<double>::unknown("measured by a version of ngb that did not count its inferences");
    // Alone, the repetitions that count are run once more.
    const bool is_of_phase = phase == Phase::alone ? !each.is_warm_up : *each.started_ns >= *use->started_ns;
    if (is_of_phase) sum += each.inferences;
  }
  return Known<double>::of(sum);
}

}  // namespace

Known<double> inferences_of_phase(const ProcessResult& process, Phase phase) {
  const auto counted = std::find_if(process.readings.begin(), process.readings.end(), [&](const Reading& each) {
    return each.quantity == "inferences" && each.moment == name(phase);
  });
  return counted == process.readings.end() ? inferences_of_repetitions(process, phase) : counted->value;
}

bool has_phase(const ProcessResult& process, Phase phase) {
  return std::any_of(process.phases.begin(), process.phases.end(),
                     [phase](const PhaseUse& use) { return use.phase == phase; });
}

}  // namespace ngb::samples
