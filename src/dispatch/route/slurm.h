// SPDX-License-Identifier: Apache-2.0
// Builds Slurm's commands and reads their answers. Pure; slurm_route.cpp runs the commands.
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
  std::string word{};    // Slurm's word for the state: "PENDING", "NODE_FAIL", …
  std::string reason{};  // why it waits: "Resources", …
  std::string node{};    // of a running job
  std::string user{};    // its owner; "" if squeue does not say
};

// Returns the newest job of that name in the output of `squeue --json`, or nothing if there is none. Returns an error
// if a job of that name belongs to another user than `user`, because everybody can see job names and use them. Reads
// the output of Slurm 22.05 and later, where a state is a word or a list of words.
Result<std::optional<SlurmJob>> newest_job(std::string_view squeue_json, std::string_view job_name,
                                           std::string_view user);

// Lists only our own jobs of that name, including those that ended recently.
std::vector<std::string> squeue_command(const std::string& job_name);
// Prints our user name on the machine where Slurm's commands run.
std::vector<std::string> user_command();
// Prints the state of a job that squeue no longer lists, as one word on a line.
std::vector<std::string> sacct_command(std::uint64_t job_id);
// Submits a job that has one machine to itself. Its script comes from standard input. Prints "ID" or "ID;CLUSTER".
std::vector<std::string> sbatch_command(const config::SlurmRequest& request, const std::string& job_name);
// Cancels only our own jobs of that name.
std::vector<std::string> scancel_command(const std::string& job_name);
// Runs `words` inside a running job, beside the job's other processes.
std::vector<std::string> srun_command(std::uint64_t job_id, const std::vector<std::string>& words);
// Runs `words` on a machine that is allocated for this command alone: `node`, or if that is empty any machine that fits
// the request. Gives up if none is free within a minute.
std::vector<std::string> srun_command(const config::SlurmRequest& request, const std::string& node,
                                      const std::vector<std::string>& words);

}  // namespace ngb::dispatch
