// SPDX-License-Identifier: Apache-2.0
#include "live/desk.h"

#include <utility>

namespace ngb::live {

bool Desk::is_due(Nanoseconds now) const {
  constexpr Nanoseconds kBetween = std::chrono::seconds(1);
  return is_asked_ && (!left_at_ || now - *left_at_ >= kBetween);
}

void Desk::leave(Published published, Nanoseconds now) {
  left_at_ = now;
  auto next = std::make_shared<const Published>(std::move(published));
  const std::lock_guard lock(mutex_);
  latest_.swap(next);
}

std::shared_ptr<const Published> Desk::latest() const {
  const std::lock_guard lock(mutex_);
  return latest_;
}

}  // namespace ngb::live
