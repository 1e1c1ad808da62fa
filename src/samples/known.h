// SPDX-License-Identifier: Apache-2.0
// A quantity that a device may not be able to tell. Unknown is never 0: it is no value, with a reason.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace ngb::samples {

template <class T>
struct Known {
  std::optional<T> value{};
  std::string reason{};  // why there is no value; empty when there is one

  static Known of(T value) { return {std::move(value), {}}; }
  static Known unknown(std::string reason) { return {std::nullopt, std::move(reason)}; }
};

}  // namespace ngb::samples
