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

bool has_phase(const ProcessResult& process, Phase phase) {
  return std::any_of(process.phases.begin(), process.phases.end(),
                     [phase](const PhaseUse& use) { return use.phase == phase; });
}

}  // namespace ngb::samples
