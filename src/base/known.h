// SPDX-License-Identifier: Apache-2.0
// Known is a quantity that a device may be unable to report. An unknown one is never 0: it has no value, but a reason.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace ngb {

template <class T>
struct Known {
  std::optional<T> value{};
  std::string reason{};  // why there is no value; empty when there is one

  static Known of(T value) { return {std::move(value), {}}; }
  static Known unknown(std::string reason) { return {std::nullopt, std::move(reason)}; }
};

}  // namespace ngb
