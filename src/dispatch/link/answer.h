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

// Told what an answer waits for: "waits for another delivery to this device (process 12)".
using OnProgress = std::function<void(const std::string& doing)>;

// Returns the device's answer of that type. Each progress message before it is passed on and renews the patience.
// Errors: `lost`; or the device sent an Error, something else, or nothing for that long.
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
    co_return fail("the device answered something else");
  }
  co_return fail("the device does not answer");
}

}  // namespace ngb::dispatch
