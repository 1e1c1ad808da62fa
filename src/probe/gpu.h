// SPDX-License-Identifier: Apache-2.0
// Reads the GPU through NVIDIA's management library (NVML), which is opened at run time: the build needs no header and
// no library. A program that calls this must be linked dynamically.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "samples/process_result.h"

namespace ngb::probe {

inline constexpr const char* kNvml = "libnvidia-ml.so.1";

// Returns gpu_utilisation and gpu_memory_utilisation (percent of the last sampling period), gpu_memory_used and
// gpu_memory_total (bytes), gpu_frequency, gpu_max_frequency and gpu_memory_frequency (hz), gpu_temperature (celsius)
// and gpu_power (watt), each with a value or a reason. Without NVML it returns the first of them alone, with the
// reason, because each of very many processes stores its readings. `when` is left empty.
std::vector<samples::Reading> gpu_readings(const std::string& library = kNvml);

// Returns "gpu_name" and "gpu_driver" as far as NVML reports them.
std::map<std::string, std::string> gpu_facts(const std::string& library = kNvml);

}  // namespace ngb::probe
