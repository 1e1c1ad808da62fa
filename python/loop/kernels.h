// SPDX-License-Identifier: Apache-2.0
// Copies the kernels that an adaptor reports out of Python and checks all of it.
#pragma once

#include <vector>

#include "loop/object.h"
#include "ngraphbench/kernels.h"

namespace ngb::python {

// Parses [(name, kind, ns, [node, …], [output, …], found_by), …]. On failure returns false and sets a Python error that
// names the kernel.
bool parse_kernels(PyObject* value, std::vector<Kernel>& kernels);

}  // namespace ngb::python
