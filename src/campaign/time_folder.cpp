// SPDX-License-Identifier: Apache-2.0
#include "campaign/time_folder.h"

#include <array>
#include <chrono>
#include <ctime>

#include "base/clock.h"

namespace ngb::campaign {

std::string time_folder() {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(system_clock().unix_now());
  const auto now = static_cast<std::time_t>(seconds.count());
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &utc)};
}

}  // namespace ngb::campaign
