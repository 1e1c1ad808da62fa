// SPDX-License-Identifier: Apache-2.0
// Makes the files of a bundle that hold what results.db says, for programs that do not read SQLite.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "metrics/families.h"
#include "store/store.h"

namespace ngb::bundle {

// Writes every repetition of the processes that count: a line of names, then a line for each, by cells, processes and
// repetitions in the order of the study. Times are in nanoseconds, around all inferences of the repetition.
Status write_samples(metrics::FamilyReader& reader, const std::filesystem::path& file);

// {"runs": [{"run_id", "study_name", "started_unix_ns", "study": {…}}]}, the oldest first; the study has every default.
std::string study_text(const std::vector<store::RunState>& runs);

// {"environments": [{"device", "hash", "entries": [{"name", "unit", "value", "unknown_reason", "is_identity"}]}]}. An
// unknown value is null.
std::string environment_text(const std::vector<store::MeasuredEnvironment>& environments);

}  // namespace ngb::bundle
