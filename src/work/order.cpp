// SPDX-License-Identifier: Apache-2.0
#include "work/order.h"

#include <fmt/format.h>

#include <algorithm>

namespace ngb::work {

std::string_view name(Order order) { return kOrders[static_cast<std::size_t>(order)]; }

Result<Order> parse_order(std::string_view name) {
  const auto* const found = std::find(kOrders.begin(), kOrders.end(), name);
  if (found != kOrders.end()) return static_cast<Order>(found - kOrders.begin());
  return fail(fmt::format("unknown order \"{}\"", name));
}

}  // namespace ngb::work
