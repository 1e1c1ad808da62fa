// SPDX-License-Identifier: Apache-2.0
#include "agent/quiet_wait.h"

#include <fmt/format.h>

#include <utility>

namespace ngb::agent {
namespace {

constexpr Nanoseconds kLeastLook = std::chrono::milliseconds(500);  // a tick of the kernel's clock is 2 % of that

}  // namespace

QuietWait::QuietWait(const std::vector<int>& cpus, double busy_ratio, Nanoseconds now, Nanoseconds patience,
                     const std::string& root)
    : meter_("self", cpus, root),
      last_(meter_.read()),
      cpus_(cpus.size()),
      busy_ratio_(busy_ratio),
      last_look_(now),
      end_(now + patience) {}

void QuietWait::look(Nanoseconds now) {
  if (now - last_look_ < kLeastLook) return;
  last_look_ = now;
  probe::Counters counters = meter_.read();
  const probe::Counters before = std::exchange(last_, std::move(counters));
  // A machine that does not say how busy it is counts as quiet.
  if (!before.ticks.value || !last_.ticks.value) {
    is_quiet_ = true;
    return;
  }
  const auto total = static_cast<double>(last_.ticks.value->total - before.ticks.value->total);
  const auto busy = static_cast<double>(last_.ticks.value->busy - before.ticks.value->busy);
  if (total <= 0) return;
  busy_percent_ = 100 * busy / total;
  is_quiet_ = busy <= busy_ratio_ * total;
}

std::string QuietWait::text() const {
  return fmt::format("waits for a quiet machine: other programs use {:.0f} % of {} processor{}", busy_percent_, cpus_,
                     cpus_ == 1 ? "" : "s");
}

}  // namespace ngb::agent
