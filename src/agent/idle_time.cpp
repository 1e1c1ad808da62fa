// SPDX-License-Identifier: Apache-2.0
#include "agent/idle_time.h"

namespace ngb::agent {
namespace {

constexpr Nanoseconds kFinishedPatience = std::chrono::hours(24);
constexpr Nanoseconds kHoggingPatience = std::chrono::minutes(30);
constexpr Nanoseconds kJoblessPatience = std::chrono::minutes(1);

}  // namespace

void IdleTime::note(bool is_idle) {
  if (!is_idle) {
    since_.reset();
  } else if (!since_) {
    since_ = clock_.now();
  }
}

std::optional<Nanoseconds> IdleTime::end(bool has_job) const {
  if (!since_) return std::nullopt;
  if (!has_job) return *since_ + kJoblessPatience;
  return *since_ + (has_device_to_itself_ ? kHoggingPatience : kFinishedPatience);
}

}  // namespace ngb::agent
