// SPDX-License-Identifier: Apache-2.0
// One device at work on its share of a plan. The local one is an agent started as a child; the others will be reached
// differently and speak the same protocol.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "plan/plan.h"
#include "samples/message.h"

namespace ngb::dispatch {

// Where an installation keeps its parts.
struct Installation {
  std::filesystem::path agent{};  // ngb-agent
  std::filesystem::path lib{};    // lib/ngraphbench: compilers/, python/
};

// The device's share of the plan. `compiler` says for each cell (and for the study's reference) which toolchain to use.
using FindCompiler = std::function<Result<samples::CompilerWork>(const std::string& name, const std::string& version)>;
Result<samples::Job> make_job(const plan::Plan& plan, const std::string& device, const std::string& run_id,
                              const FindCompiler& compiler, const std::string& reference_cache);

struct Callbacks {
  std::function<Status(const samples::Event&)> on_event;  // record it; an Error stops the device
  std::function<void(const samples::Progress&)> on_progress;
};

enum class Ending { finished, stopped };

// Runs the job to its end, or until `stop_requested` (asked for every 200 ms) is true: the process in flight is ended,
// what is recorded stays. `last_sequence`: events up to here are recorded already.
// Error: the agent could not start, died (again and again), or reported that it cannot go on.
Result<Ending> run_local(const Installation& installation, const std::filesystem::path& work_folder,
                         const samples::Job& job, std::uint64_t last_sequence, const Callbacks& callbacks,
                         const std::function<bool()>& stop_requested);

}  // namespace ngb::dispatch
