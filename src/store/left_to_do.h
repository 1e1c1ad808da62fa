// SPDX-License-Identifier: Apache-2.0
// Says what a device of a run has still to do, for this room only.
#pragma once

#include <string>

#include "store/implementation.h"

namespace ngb::store {

// Describes what is missing from the device's share of the run: "2 of 5 processes of cell … are missing". Returns "" if
// each cell is complete but for processes that were given up (disturbed in their last attempt), has failed for a reason
// that another attempt would not change or in its last attempt, or was given up by an earlier run.
std::string left_of_share(Store::Implementation& store, const Store::Implementation::Known::Device& known,
                          const std::string& device);

}  // namespace ngb::store
