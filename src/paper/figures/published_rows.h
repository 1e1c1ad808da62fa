// SPDX-License-Identifier: Apache-2.0
// What the paper has published, to be drawn in figures beside one's own results.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/figures/selection.h"

namespace ngb::paper::figures {

// Returns the name of a compiler of the published tables: "openvino (paper)" of "OpenVINO", "PyTorch eager (identity,
// paper)" of "Identity".
std::string published_compiler(std::string_view called);

// Returns what is published of these devices, which are some of published_devices(): of families from Table VI (the
// mean use of the processor with one standard deviation below and above it as its ends, its reduction, and the
// speed-up), and the compile times of Table III, of models that one's own rows
// have.
report::figures::Published published(std::vector<std::string> devices);

}  // namespace ngb::paper::figures
