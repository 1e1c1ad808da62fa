// SPDX-License-Identifier: Apache-2.0
// A job: a plan restricted to one device, with the places of its compilers there.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/plan.h"
#include "work/job.h"

namespace ngb::dispatch {

// Says where a version of a compiler is.
using FindPlace = std::function<Result<work::Place>(const std::string& name, const std::string& version)>;

// As the agent gets them; where the user does not say, 64 MiB of disk stay free on a device elsewhere.
work::DeviceLimits limits_of(const config::DeviceEntry& device);

// The jobs of all devices, each made when it is asked for: a large fleet's together are larger than its plan.
class Jobs {
 public:
  // `plan` outlives it.
  Jobs(const plan::Plan& plan, std::string run_id);

  // Error: whatever `place_of` returns.
  [[nodiscard]] Result<work::Job> of(const std::string& device, const FindPlace& place_of,
                                     const std::string& reference_cache) const;

  // Models that are users' files: every device has all models.
  [[nodiscard]] std::vector<work::Model> files() const;

 private:
  struct Part {  // of the plan, in its order
    std::vector<int> cells{};
    std::vector<const work::Group*> groups{};
  };

  const plan::Plan& plan_;
  std::string run_id_{};
  std::map<std::string, Part> parts_{};  // by device
};

}  // namespace ngb::dispatch
