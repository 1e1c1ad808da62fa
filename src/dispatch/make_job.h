// SPDX-License-Identifier: Apache-2.0
// A device's share of a plan, as its agent takes it.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "plan/plan.h"
#include "samples/job.h"

namespace ngb::dispatch {

// Says for each cell (and for the study's reference) which toolchain to use.
using FindCompiler = std::function<Result<samples::CompilerWork>(const std::string& name, const std::string& version)>;
// Error: a user's model file cannot be read; whatever `compiler` returns.
Result<samples::Job> make_job(const plan::Plan& plan, const std::string& device, const std::string& run_id,
                              const FindCompiler& compiler, const std::string& reference_cache);

}  // namespace ngb::dispatch
