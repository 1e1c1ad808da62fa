// SPDX-License-Identifier: Apache-2.0
// What a device says next, when it is asked something.
#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "dispatch/connection.h"

namespace ngb::dispatch {

// The device's answer of that type. Nothing: the connection ended, or the loop stops. Error: it answered something
// else, an Error, or nothing for that long.
template <class Answer>
asio::awaitable<Result<std::optional<Answer>>> answer_of(Connection& device, Nanoseconds patience) {
  const Nanoseconds give_up = system_clock().now() + patience;
  while (system_clock().now() < give_up) {
    const bool was_over = device.is_over();
    Result<std::optional<samples::AgentMessage>> message = co_await device.receive(patience);
    if (!message) co_return tl::unexpected(message.error());
    if (!message->has_value()) {
      if (was_over) co_return std::nullopt;
      continue;
    }
    if (auto* answer = std::get_if<Answer>(&**message)) co_return std::move(*answer);
    if (const auto* error = std::get_if<Error>(&**message)) co_return tl::unexpected(*error);
    co_return fail("the device answered something else");
  }
  co_return fail("the device does not answer");
}

}  // namespace ngb::dispatch
