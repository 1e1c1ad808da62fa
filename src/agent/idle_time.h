// SPDX-License-Identifier: Apache-2.0
// Decides when a resident agent ends that has neither a client nor work. Pure but for its clock.
#pragma once

#include <optional>

#include "base/clock.h"

namespace ngb::agent {

class IdleTime {
 public:
  // `clock` must outlive this object. In a batch job the agent has its device to itself, and others wait for that.
  IdleTime(const Clock& clock, bool has_device_to_itself)
      : clock_(clock), has_device_to_itself_(has_device_to_itself) {}

  // Says whether the agent has neither a client nor work now. The time counts from the first of several idle calls.
  void note(bool is_idle);
  // Returns when the agent ends: 24 h after the time began if its job is finished (30 min in a batch job), one minute
  // after it began if it has no job. Returns nothing while the agent is not idle.
  [[nodiscard]] std::optional<Nanoseconds> end(bool has_job) const;
  [[nodiscard]] bool is_over(bool has_job) const { return since_ && clock_.now() >= *end(has_job); }

 private:
  const Clock& clock_;
  bool has_device_to_itself_;
  std::optional<Nanoseconds> since_{};
};

}  // namespace ngb::agent
