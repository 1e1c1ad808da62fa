// SPDX-License-Identifier: Apache-2.0
// What NVIDIA's management library (NVML) tells of the GPU, opened at run time: no header and no library is needed to
// build. A program that calls this must be linked dynamically.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "samples/process_result.h"

namespace ngb::probe {

inline constexpr const char* kNvml = "libnvidia-ml.so.1";

// gpu_utilisation and gpu_memory_utilisation (percent of the last sampling period), gpu_memory_used and
// gpu_memory_total (bytes), gpu_frequency, gpu_max_frequency and gpu_memory_frequency (hz), gpu_temperature (celsius),
// gpu_power (watt): each a value, or the reason why not; where nothing can be asked, the first of them alone, which
// says why: there are very many processes. `when` is left empty.
std::vector<samples::Reading> gpu_readings(const std::string& library = kNvml);

// "gpu_name", "gpu_driver"; only what it tells.
std::map<std::string, std::string> gpu_facts(const std::string& library = kNvml);

}  // namespace ngb::probe
