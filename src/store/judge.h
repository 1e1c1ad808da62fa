// SPDX-License-Identifier: Apache-2.0
// Decides whether an event of a device can be true, given everything that is recorded. All functions throw SqlError.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "samples/message.h"
#include "store/implementation.h"

namespace ngb::store {

// Describes what is missing from the device's share of the run: "2 of 5 processes of cell … are missing". Returns "" if
// each cell is complete but for processes that were given up (disturbed in their last attempt), has failed for a reason
// that another attempt would not change or in its last attempt, or was given up by an earlier run.
std::string left_of_share(Store::Implementation& store, const Store::Implementation::Known::Device& known,
                          const std::string& device);

// Returns the cell's key, or nothing if the run has not planned that cell on that device.
std::optional<std::int64_t> key_of_cell(Store::Implementation& store, std::int64_t run_key, const std::string& device,
                                        const std::string& cell_id);

// Returns an error if the event cannot be true. It names the event's subject, the field, its value and what was
// expected. `finished` is accepted if every cell of the device's share is complete, has failed for a reason that
// another attempt would not change or in its last attempt, or was given up by an earlier run.
Status judge(Store::Implementation& store, const std::string& device, const Store::Implementation::Known::Device& known,
             const samples::Event& event);

}  // namespace ngb::store
