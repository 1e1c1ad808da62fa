// SPDX-License-Identifier: Apache-2.0
// A Python adaptor behind the C table of include/ngraphbench/compiler.h. Every function of the table wants the GIL and
// the thread that made it; a Python exception becomes an ngb_error, whatever the adaptor returns is checked.
#pragma once

#include "loop/object.h"
#include "ngraphbench/compiler.h"

namespace ngb::python {

// `host` is a ngraphbench.hosting.Host: description (str), produces_file (bool), open(…) -> session,
// failure(exception). There is one table per process: making another replaces it, and sessions of the earlier one must
// be closed before. Null, with a Python error set, when `host` lacks an attribute. The table keeps a reference to
// `host` for good.
const ngb_compiler* make_table(PyObject* host);

}  // namespace ngb::python
