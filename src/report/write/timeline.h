// SPDX-License-Identifier: Apache-2.0
// Draws a table of kernel calls as a timeline: a document with the columns model, batch, compiler, name, kind,
// start_ns, duration_ns and nodes.
#pragma once

#include <string>

#include "report/document.h"

namespace ngb::report {

// Returns Chrome's Trace Event Format, which Perfetto, speedscope and chrome://tracing open: a process for each model,
// batch and compiler, with its kernels as complete events. Source: Trace Event Format (Google, 2016), section "JSON
// Object Format".
std::string to_trace(const Document& document);

}  // namespace ngb::report
