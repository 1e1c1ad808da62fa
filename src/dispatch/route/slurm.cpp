// SPDX-License-Identifier: Apache-2.0
#include "dispatch/route/slurm.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_text.h"
#include "base/text.h"

namespace ngb::dispatch {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

// The job receives only these three variables of the client's environment.
constexpr const char* kExport = "--export=HOME,USER,PATH";

JobState state_of(const Words& words) {
  constexpr std::array kEnds{"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE",      "FAILED",
                             "NODE_FAIL", "PREEMPTED", "TIMEOUT",   "OUT_OF_MEMORY", "REVOKED"};
  const auto has = [&](std::string_view word) { return std::find(words.begin(), words.end(), word) != words.end(); };
  // A job that is completing or returns to the queue can neither be used nor replaced yet.
  if (has("COMPLETING") || has("REQUEUED") || has("PENDING")) return JobState::waiting;
  if (std::any_of(kEnds.begin(), kEnds.end(), has)) return JobState::ended;
  return has("RUNNING") && words.size() == 1 ? JobState::running : JobState::waiting;
}

SlurmJob job_of(const json& object) {
  SlurmJob job;
  job.id = object.at("job_id").get<std::uint64_t>();
  const json& state = object.at("job_state");
  const Words words = state.is_array() ? state.get<Words>() : Words{state.get<std::string>()};
  job.state = state_of(words);
  job.word = text::to_utf8(text::join(words, " "));
  job.reason = text::to_utf8(object.value("state_reason", ""));
  job.node = object.value("nodes", "");
  job.user = text::to_utf8(object.value("user_name", ""));
  return job;
}

void add_option(Words& words, const char* option, const std::string& value) {
  if (!value.empty()) words.push_back(fmt::format("{}={}", option, value));
}

void add_request(Words& words, const config::SlurmRequest& request, const std::string& node) {
  add_option(words, "--partition", request.partition);
  add_option(words, "--constraint", request.constraint);
  add_option(words, "--gres", request.gres);
  add_option(words, "--account", request.account);
  add_option(words, "--qos", request.qos);
  add_option(words, "--nodelist", node);
  words.insert(words.end(), {"--exclusive", "--nodes=1", "--ntasks=1", "--chdir=/", kExport});
}

}  // namespace

Result<std::optional<SlurmJob>> newest_job(std::string_view squeue_json, std::string_view job_name,
                                           std::string_view user) {
  try {
    std::optional<SlurmJob> newest;
    const json answer = json_text::parse_or_throw(squeue_json);
    for (const json& object : answer.at("jobs")) {
      if (object.at("name") != job_name) continue;
      SlurmJob job = job_of(object);
      if (!job.user.empty() && job.user != user) {
        return fail(
            fmt::format("job {} has the name {} of this run's job but belongs to {}", job.id, job_name, job.user),
            "squeue", fmt::format("ask {} what it is, or have it cancelled; ngb uses only your own jobs", job.user));
      }
      if (!newest || job.id > newest->id) newest = std::move(job);
    }
    return newest;
  } catch (const json::exception& error) {
    return fail(fmt::format("cannot read the output of squeue --json: {}", error.what()), "squeue",
                "install Slurm 22.05 or later with its JSON serializer");
  }
}

Words squeue_command(const std::string& job_name) {
  return {"squeue", "--me", "--json", "--states=all", "--name=" + job_name};
}

Words user_command() { return {"id", "-un"}; }

Words sacct_command(std::uint64_t job_id) {
  return {"sacct", "--allocations", "--noheader", "--parsable2", "--format=State", fmt::format("--jobs={}", job_id)};
}

Words sbatch_command(const config::SlurmRequest& request, const std::string& job_name) {
  Words words{"sbatch", "--parsable", "--requeue", "--job-name=" + job_name, "--output=/dev/null"};
  add_option(words, "--time", request.time);
  add_request(words, request, text::join(request.nodes, ","));
  return words;
}

Words scancel_command(const std::string& job_name) { return {"scancel", "--me", "--quiet", "--name=" + job_name}; }

Words srun_command(std::uint64_t job_id, const Words& command) {
  Words words{"srun", fmt::format("--jobid={}", job_id), "--overlap", "--nodes=1", "--ntasks=1", "--quiet", "--chdir=/",
              kExport};
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

Words srun_command(const config::SlurmRequest& request, const std::string& node, const Words& command) {
  Words words{"srun", "--job-name=ngb-visit", "--quiet", "--immediate=60"};
  add_request(words, request, node);
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

}  // namespace ngb::dispatch
