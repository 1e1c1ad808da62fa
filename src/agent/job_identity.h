// SPDX-License-Identifier: Apache-2.0
// Whether a job that a client brings is the one that is at work already.
#pragma once

#include <string>

#include "work/job.h"

namespace ngb::agent {

// Two jobs with the same identity have the same processes to run, in the same way and order. Limits take no part in it,
// and neither do the words in which a toolchain or reference outputs are missing: they change with the client's
// network.
struct JobIdentity {
  std::string run_id{};
  std::string job_sha256{};  // empty: of no job in particular
  bool operator==(const JobIdentity&) const = default;
};
JobIdentity identity_of(const work::Job& job);

}  // namespace ngb::agent
