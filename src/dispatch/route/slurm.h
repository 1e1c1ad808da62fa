// SPDX-License-Identifier: Apache-2.0
// Slurm's commands and what they answer. Pure; slurm_route.cpp runs them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/device.h"

namespace ngb::dispatch {

enum class JobState { waiting, running, ended };

struct SlurmJob {
  std::uint64_t id = 0;
  JobState state = JobState::waiting;
  std::string word{};    // Slurm's own: "PENDING", "NODE_FAIL", …
  std::string reason{};  // why it waits: "Resources", …
  std::string node{};    // of a running one
  std::string user{};    // whose it is; "" where squeue does not tell
};

// The newest job of that name in what `squeue --json` says; nothing when there is none. Error when one of that name
// belongs to somebody else than `user`: job names are for everybody to see, and to take. Slurm 22.05 and later: a state
// is a word, or a list of words.
Result<std::optional<SlurmJob>> newest_job(std::string_view squeue_json, std::string_view job_name,
                                           std::string_view user);

// Our own jobs of that name only, also one that has ended not long ago.
std::vector<std::string> squeue_command(const std::string& job_name);
// Who we are where Slurm's commands run.
std::vector<std::string> user_command();
// The state of a job that squeue does not know any more, as one word on a line.
std::vector<std::string> sacct_command(std::uint64_t job_id);
// A job that has one machine to itself; its script comes from standard input. Answers "ID" or "ID;CLUSTER".
std::vector<std::string> sbatch_command(const config::SlurmRequest& request, const std::string& job_name);
// Our own jobs of that name only.
std::vector<std::string> scancel_command(const std::string& job_name);
// Within a job that runs, beside what runs there.
std::vector<std::string> srun_command(std::uint64_t job_id, const std::vector<std::string>& words);
// On a machine of its own for a moment (`node` empty: any that the request fits); gives up when it gets none within a
// minute.
std::vector<std::string> srun_command(const config::SlurmRequest& request, const std::string& node,
                                      const std::vector<std::string>& words);

}  // namespace ngb::dispatch
