// SPDX-License-Identifier: Apache-2.0
// What `ngb bisect` prints.
#pragma once

#include <string>

#include "metrics/bisection_step.h"
#include "report/document.h"
#include "report/formats.h"

namespace ngb::report {

using metrics::Bisected;
using metrics::TriedVersion;

// The formats of `ngb bisect`.
const FormatNames& bisection_formats();

// Returns a table with a row for each version that was tried, below the answer. JSON also has {"summary", "compiler",
// "from", "to", "fault", "slower_ratio", "faster_ratio", "outcome": "found" | "undecided" | "not_worse", "first_bad",
// "last_good", "undecided": […], "stepped_over": […], "versions": […], …}; what is unknown is null.
Document bisection_document(const Bisected& bisected);

// Returns the answer in one sentence: "onnxruntime 1.29.0 is the first version that is slower than 1.27.0 by more than
// 3 %", or that the last version is not worse.
std::string bisection_summary(const Bisected& bisected);

}  // namespace ngb::report
