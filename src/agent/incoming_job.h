// SPDX-License-Identifier: Apache-2.0
// Prepares a job that a client has sent, before it begins.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "agent/workers/control_group.h"
#include "base/result.h"
#include "base/revision.h"
#include "base/topology.h"
#include "samples/environment.h"
#include "work/job.h"

namespace ngb::agent {

// Makes the paths of a job for a device elsewhere absolute; they are relative to the device's folder. Does nothing if
// `device_folder` is empty.
void stand_in(work::Job& job, const std::filesystem::path& device_folder);

// Replaces the word by which a compiler asks for threads by the number of processors or of cores that it may use of
// those `there`, of which a quota allows `most`, divided by the number of the compiler's instances. The reference gets
// as many threads as the compiler with the most, but no more than there are processors. Call it after identity_of, so
// that a job keeps its identity when the number changes. Returns an error if a study's own processors do not exist
// here, may not be used, or are fewer than its threads.
Status resolve_threads(work::Job& job, const std::vector<LogicalProcessor>& there, int most);

// Returns the device's and the agent's description of themselves, with the variables that the job sets for its
// processes.
samples::Environment environment_of(const work::Job& job, const ControlGroups& groups, const Revision& agent);

// Decides whether a job that a client sends is the one that the agent already runs.

// Two jobs with the same identity run the same processes in the same way and order. Limits of the device and the
// client's facts of it are not part of it. Nor are the texts that say why a toolchain or reference outputs are missing:
// they change with the client's network.
struct JobIdentity {
  std::string run_id{};
  std::string job_sha256{};  // empty if it is no particular job's
  bool operator==(const JobIdentity&) const = default;
};
JobIdentity identity_of(const work::Job& job);

}  // namespace ngb::agent
