// SPDX-License-Identifier: Apache-2.0
// Puts a Python adaptor behind the C table of include/ngraphbench/compiler.h. Every function of the table must be
// called with the GIL held, on the thread that made the table. Python exceptions become an ngb_error.
#pragma once

#include "loop/object.h"
#include "ngraphbench/compiler.h"

namespace ngb::python {

// Makes the table for a ngraphbench.hosting.Host, which has description (str), produces_file (bool), open(…) -> session
// and failure(exception). A process has one table: making another replaces it, and sessions of the earlier one must be
// closed before. Returns null, with a Python error set, if `host` lacks an attribute. The table keeps `host` forever.
const ngb_compiler* make_table(PyObject* host);

}  // namespace ngb::python
