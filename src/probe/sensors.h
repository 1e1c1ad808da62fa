// SPDX-License-Identifier: Apache-2.0
// Clock, temperature and power of the processors, as far as the machine shows them.
#pragma once

#include <cstdint>

#include "probe/tree.h"
#include "samples/known.h"

namespace ngb::probe {

samples::Known<double> frequency_hz(const Tree& tree);         // mean over the processors
samples::Known<double> temperature_celsius(const Tree& tree);  // the hottest processor sensor
samples::Known<double> power_watts(const Tree& tree);          // a board's own meters, summed
// Energy counters of the processor packages, summed; they wrap around. Readable by root only on most kernels.
samples::Known<std::uint64_t> package_energy_uj(const Tree& tree);

}  // namespace ngb::probe
