// SPDX-License-Identifier: Apache-2.0
// Decides whether a job that a client sends is the one that the agent already runs.
#pragma once

#include <string>

#include "work/job.h"

namespace ngb::agent {

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
