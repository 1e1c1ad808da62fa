// SPDX-License-Identifier: Apache-2.0
// The metrics of models that read prompts or generate tokens. A repetition of the latter is a pass of steps
// (worker/passes.h), each of which makes a token for every sample.
#pragma once

#include <optional>

#include "metrics/analysis.h"
#include "metrics/metric.h"

namespace ngb::metrics {

// Returns how many times as long the steps of a process's first pass took, on average, as the median step that counts;
// nothing of a process that generates no tokens.
std::optional<double> first_pass_ratio_of(const store::RecordedProcess& process);

Formula time_per_token, time_per_token_p90, time_per_token_p99, decode_tokens, energy_per_token, first_pass_ratio,
    prefill_tokens, time_to_first_token, bytes_per_token, copied_bytes_per_token, cache_size;

}  // namespace ngb::metrics
