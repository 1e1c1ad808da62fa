// SPDX-License-Identifier: Apache-2.0
// Waits for a device's answer.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "dispatch/link/connection.h"

namespace ngb::dispatch {

// Is called with what the device does before it answers: "waits for another delivery to this device (process 12)".
using OnProgress = std::function<void(const std::string& doing)>;

// Returns the device's next message, an Answer. Progress messages before it are passed to `on_progress`, and each
// renews the patience. Returns an error with the code `lost` if the connection ended, the Error that the device sent,
// or another error if it sent something else or nothing for `patience`.
template <class Answer>
asio::awaitable<Result<Answer>> answer_of(Connection& device, Nanoseconds patience, OnProgress on_progress = {}) {
  Nanoseconds give_up = device.clock().now() + patience;
  while (device.clock().now() < give_up) {
    const bool was_over = device.is_over();
    Result<std::optional<samples::AgentMessage>> message = co_await device.receive(patience);
    if (!message) co_return error_of(message);
    if (!message->has_value()) {
      if (was_over) co_return lost();
      continue;
    }
    if (auto* answer = std::get_if<Answer>(&**message)) co_return std::move(*answer);
    if (const auto* error = std::get_if<Error>(&**message)) co_return tl::unexpected(*error);
    if (const auto* progress = std::get_if<samples::Progress>(&**message)) {
      give_up = device.clock().now() + patience;
      if (on_progress) on_progress(progress->doing);
      continue;
    }
    co_return fail("the device sent an unexpected message");
  }
  co_return fail("the device does not answer");
}

}  // namespace ngb::dispatch
