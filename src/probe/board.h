// SPDX-License-Identifier: Apache-2.0
// Reads what boards such as NVIDIA's Jetson have beside a processor's usual sensors: the channels of power monitors,
// the GPU's clock and load as the kernel's devfreq shows them, and the power mode.
#pragma once

#include <vector>

#include "probe/tree.h"
#include "samples/environment.h"
#include "samples/process_result.h"

namespace ngb::probe {

// Returns, for each labelled channel of an INA3221, voltage_LABEL (volt), current_LABEL (ampere) and power_LABEL (watt,
// their product), with the label in lower case; and for a GPU with devfreq gpu_utilisation (percent), gpu_frequency and
// gpu_max_frequency (hz). A channel that is switched off and a machine without such parts have none.
std::vector<samples::Reading> board_readings(const Tree& tree);

// Returns the power of the whole board in watt, from the channel of an INA3221 at the board's input (VDD_IN,
// POM_5V_IN). If there is no such channel, the reason says whether the board has channels of its parts.
Known<double> board_power_watts(const Tree& tree);

// Returns power_mode, l4t (the release of Jetson Linux), gpu_governor, gpu_max_frequency, gpu_min_frequency and
// cpu_min_frequency where the board has them. Other machines have no such entries, so that theirs stay comparable with
// those of earlier versions.
std::vector<samples::EnvironmentEntry> board_entries(const Tree& tree);

// Returns the name of a GPU that devfreq shows, such as "nvidia,ga10b"; "" if there is none.
std::string board_gpu(const Tree& tree);

}  // namespace ngb::probe
