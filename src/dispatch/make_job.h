// SPDX-License-Identifier: Apache-2.0
// Makes a job: the part of a plan that belongs to one device, with the places of its compilers there.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "plan/plan.h"
#include "work/job.h"

namespace ngb::dispatch {

// Returns where a version of a compiler is installed.
using FindPlace = std::function<Result<work::Place>(const std::string& name, const std::string& version)>;

// Returns the device's limits in the agent's form. If the user sets no limit, 64 MiB of disk stay free on a device
// elsewhere.
work::DeviceLimits limits_of(const config::DeviceEntry& device);

// Returns the variables of every worker on the device, sorted by name: those of the study's `allocator` (mallopt(3)),
// and the device's own, which replace them.
std::vector<std::pair<std::string, std::string>> worker_variables(const config::Study& study,
                                                                  const config::DeviceEntry& device);

// Makes each device's job when it is requested, because the jobs of a large fleet together are larger than its plan.
class Jobs {
 public:
  // `plan` outlives this object.
  Jobs(const plan::Plan& plan, std::string run_id);

  // Returns the device's job, or the error of `place_of`.
  [[nodiscard]] Result<work::Job> of(const std::string& device, const FindPlace& place_of,
                                     const std::string& reference_cache) const;

  // Returns the models that are users' files. They are the same for all devices, because every device measures all
  // models.
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
