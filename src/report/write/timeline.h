// SPDX-License-Identifier: Apache-2.0
// Draws a table of kernel calls as a timeline: a document with the columns model, batch, compiler, name, kind,
// start_ns, duration_ns and nodes.
#pragma once

#include <string>

#include "report/document.h"

namespace ngb::report {

// Returns Chrome's Trace Event Format, which Perfetto and chrome://tracing open: a process for each model, batch and
// compiler, with its kernels as complete events. Source: Trace Event Format (Google, 2016), section "JSON Object
// Format".
std::string to_trace(const Document& document);

// Returns a speedscope file: a profile of events for each model, batch and compiler, its frames the kernels by module.
// Source: https://www.speedscope.app/file-format-schema.json
std::string to_speedscope(const Document& document);

}  // namespace ngb::report
