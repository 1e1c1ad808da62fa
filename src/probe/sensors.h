// SPDX-License-Identifier: Apache-2.0
// Reads clock, temperature and power of the processors, as far as the machine reports them.
#pragma once

#include "base/result.h"
#include "probe/tree.h"

namespace ngb::probe {

Known<double> frequency_hz(const Tree& tree);         // mean over the processors
Known<double> temperature_celsius(const Tree& tree);  // the hottest processor sensor
Known<double> power_watts(const Tree& tree);          // a board's own meters, summed

}  // namespace ngb::probe
