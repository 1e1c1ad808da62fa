// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "work/compiler.h"

namespace ngb::work {

// Returns the kind ("cpu", "gpu", "npu") of a device that a compiler calls "CPU", "cuda:0" or "GPU.1"; "" if the word
// means none.
std::string kind_of_device(std::string_view word);
// Returns the kind of device that the options ask for; "" if they leave the choice to the compiler or to its default.
std::string device_asked_for(const Options& options);

}  // namespace ngb::work
