// SPDX-License-Identifier: Apache-2.0
// Whether an event of a device can be true, after all that is recorded. Both functions throw SqlError.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "samples/message.h"
#include "store/implementation.h"

namespace ngb::store {

// Nothing when the run has not planned that cell on that device.
std::optional<std::int64_t> key_of_cell(Store::Implementation& store, std::int64_t run_key, const std::string& device,
                                        const std::string& cell_id);

// The Error names what the event is about, the field, its value and what was expected. `finished` is believed when
// every cell of the device's share is complete, has failed for good, or was given up by an earlier run.
Status judge(Store::Implementation& store, const std::string& device, const Store::Implementation::Known::Device& known,
             const samples::Event& event);

}  // namespace ngb::store
