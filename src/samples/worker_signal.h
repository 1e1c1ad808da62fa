// SPDX-License-Identifier: Apache-2.0
// What a worker tells its agent before its result, each in a frame on kResultFd: if its cell has a load, or if it takes
// turns with others. After each, the worker waits for the frame kGoOn on kRequestFd.
#pragma once

#include <string_view>

namespace ngb::samples {

inline constexpr std::string_view kWantsLoad = "wants load";        // before its warm-up: the load starts
inline constexpr std::string_view kBeginsTiming = "begins timing";  // the load's use counts from now
inline constexpr std::string_view kEndsTiming = "ends timing";      // … until now; the load ends

inline constexpr std::string_view kWantsTurn = "wants turn";  // before each part of its timed phase

inline constexpr std::string_view kGoOn = "go on";

}  // namespace ngb::samples
