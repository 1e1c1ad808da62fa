// SPDX-License-Identifier: Apache-2.0
// A device's share of a plan, as its agent takes it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/plan.h"
#include "samples/job.h"

namespace ngb::dispatch {

// Says for each cell (and for the study's reference) which toolchain to use.
using FindCompiler = std::function<Result<samples::CompilerWork>(const std::string& name, const std::string& version)>;

// As the agent takes them; where the user does not say, 64 MiB of disk stay free on a device elsewhere.
samples::Limits limits_of(const config::DeviceEntry& device);

// The jobs of all devices, each made when it is asked for: a large fleet's together are larger than its plan.
class Jobs {
 public:
  // `plan` outlives it. Error: a user's model file cannot be read.
  static Result<Jobs> begin(const plan::Plan& plan, std::string run_id);

  // Error: whatever `compiler` returns.
  [[nodiscard]] Result<samples::Job> of(const std::string& device, const FindCompiler& compiler,
                                        const std::string& reference_cache) const;

  // Models that are users' files: every device has all models.
  [[nodiscard]] std::vector<samples::ModelWork> files() const;

 private:
  struct Part {  // of the plan, in its order
    std::vector<const plan::Cell*> cells{};
    std::vector<const plan::Group*> groups{};
  };

  const plan::Plan* plan_ = nullptr;
  std::string run_id_{};
  std::vector<samples::ModelWork> models_{};  // as in the plan
  std::map<std::string, Part> parts_{};       // by device
};

}  // namespace ngb::dispatch
