// SPDX-License-Identifier: Apache-2.0
// Reports Python exceptions as errors of the C table.
#pragma once

#include <string_view>

#include "loop/object.h"
#include "ngraphbench/compiler.h"

namespace ngb::python {

// Fills in `error`, truncated to whole UTF-8 characters, and returns `status`.
ngb_status report(ngb_status status, std::string_view message, std::string_view advice, ngb_error* error);

// Clears the pending Python exception, asks `host.failure(exception)` for (kind, message, advice) and reports them.
// If `host` cannot answer, MemoryError is NGB_OUT_OF_MEMORY and everything else NGB_INTERNAL.
ngb_status report_exception(PyObject* host, ngb_error* error);

}  // namespace ngb::python
