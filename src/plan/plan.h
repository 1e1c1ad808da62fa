// SPDX-License-Identifier: Apache-2.0
// Study -> cells, in the order in which they are to be measured. Pure: reads model files, starts nothing.
//
// The order is the same on every machine (base/random.h has the generator and the shuffle):
//   1. groups (device, model, batch) stand in the order of the study and are shuffled by one generator that starts at
//      the study's seed;
//   2. each group has a generator of its own, which starts at the first 64 bits of the SHA-256 of the text
//      "<seed> <device> <model hash> <batch>"; so a group keeps its inner order when other models join the study;
//   3. round r of a group is process r of each of its cells, which stand in the order of the study and are shuffled
//   anew.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/result.h"
#include "config/study.h"
#include "work/cell.h"

namespace ngb::plan {

// Its cells are in the order of the study: device, model, batch, compiler; its groups in the order to measure, shuffled
// with the study's seed. Its compilers are the study's.
struct Plan : work::Lists {
  config::Study study{};
};

// Error: a recipe that cannot be resolved, a model file that cannot be read (all of them in one Error), two entries
// that turn out to be the same model.
Result<Plan> expand(const config::Study& study);

// Rough seconds for the whole plan, from constants in estimate.cpp that hold within a factor of about 3 for a current
// desktop CPU:
//   study + models * model + sum over processes of (process + parameters * compile + repetitions * repetition),
//   repetition = max(min_repetition_ms, call + macs / (rate * threads)), warm-up included.
// A user's file counts as 1 GMAC a sample. With stop_when: as if every process stopped at 100 repetitions or max_s.
double estimate_seconds(const Plan& plan);

// Processes over all cells.
std::uint64_t process_count(const Plan& plan);

nlohmann::json to_json(const Plan& plan);
// The table that `ngb plan` prints: defaults, cells, order, estimate.
std::string to_text(const Plan& plan);

}  // namespace ngb::plan
