// SPDX-License-Identifier: Apache-2.0
// Says in which order the processes of a job's groups are measured. A group's own steps keep their order.
#pragma once

#include <array>
#include <string_view>

#include "base/result.h"

namespace ngb::work {

// rounds: a round of every group, then the next round of every group, so that a machine whose speed drifts does so in
// all groups alike. groups: all rounds of a group, then those of the next. soonest: as rounds while a study needs them
// all, then a round at a time of the group whose questions are likely to be decided soonest: whenever the time is over,
// much is known.
enum class Order { rounds, groups, soonest };

inline constexpr std::array<std::string_view, 3> kOrders{"rounds", "groups", "soonest"};  // names, in the enum's order

std::string_view name(Order order);
Result<Order> parse_order(std::string_view name);

}  // namespace ngb::work
