// SPDX-License-Identifier: Apache-2.0
// Python exceptions as error values of the C table.
#pragma once

#include <string_view>

#include "loop/object.h"
#include "ngraphbench/compiler.h"

namespace ngb::python {

// Fills in `error`, cut at a whole UTF-8 character where it does not fit, and returns `status`.
ngb_status report(ngb_status status, std::string_view message, std::string_view advice, ngb_error* error);

// Takes the pending Python exception, asks `host.failure(exception)` for (status, message, advice) and reports that.
// Where `host` cannot tell, MemoryError is NGB_OUT_OF_MEMORY and all else NGB_INTERNAL. No exception is pending after.
ngb_status report_exception(PyObject* host, ngb_error* error);

}  // namespace ngb::python
