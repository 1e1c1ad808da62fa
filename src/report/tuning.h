// SPDX-License-Identifier: Apache-2.0
// What `ngb tune` prints.
#pragma once

#include "metrics/tuning.h"
#include "report/document.h"
#include "report/formats.h"

namespace ngb::report {

// The formats of `ngb tune`.
const FormatNames& tuning_formats();

// Returns a table with a row for each compiler on each workload: what the search promised of the fastest settings, and
// what fresh processes say of them. JSON also has {"search", "confirm", "margin_ratio"}, and of each row the winner as
// an entry of a study's `compilers`.
Document tuning_document(const metrics::Tuned& tuned);

}  // namespace ngb::report
