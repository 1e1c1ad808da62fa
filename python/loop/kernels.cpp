// SPDX-License-Identifier: Apache-2.0
#include "loop/kernels.h"

#include <cmath>
#include <optional>
#include <string>

namespace ngb::python {
namespace {

constexpr Py_ssize_t kParts = 6;

bool refuse_kernel(const std::string& why) {
  PyErr_SetString(PyExc_TypeError, why.c_str());
  return false;
}

bool parse_names(PyObject* value, std::vector<std::string>& names) {
  if (value == nullptr || !PyList_Check(value)) return false;
  for (Py_ssize_t i = 0; i < PyList_Size(value); ++i) {
    std::optional<std::string> name = to_text(PyList_GetItem(value, i));
    if (!name) return false;
    names.push_back(std::move(*name));
  }
  return true;
}

bool parse_kernel(PyObject* parts, Kernel& kernel) {
  if (!PyTuple_Check(parts) || PyTuple_Size(parts) != kParts) return refuse_kernel("a kernel has six parts");
  const auto name = to_text(PyTuple_GetItem(parts, 0));
  const auto kind = to_text(PyTuple_GetItem(parts, 1));
  const auto found_by = to_text(PyTuple_GetItem(parts, 5));
  if (!name || !kind || !found_by || !parse_names(PyTuple_GetItem(parts, 3), kernel.nodes) ||
      !parse_names(PyTuple_GetItem(parts, 4), kernel.outputs)) {
    return refuse_kernel("the words of a kernel must be str");
  }
  kernel.ns = PyFloat_AsDouble(PyTuple_GetItem(parts, 2));
  if (PyErr_Occurred() != nullptr) return false;
  if (!std::isfinite(kernel.ns) || kernel.ns < 0) {
    return refuse_kernel("kernel \"" + *name + "\": its time must be a number of nanoseconds >= 0");
  }
  kernel.name = *name;
  kernel.kind = *kind;
  kernel.found_by = *found_by;
  return true;
}

}  // namespace

bool parse_kernels(PyObject* value, std::vector<Kernel>& kernels) {
  kernels.clear();
  if (!PyList_Check(value)) return refuse_kernel("what end_profile() returns must be a list");
  for (Py_ssize_t i = 0; i < PyList_Size(value); ++i) {
    Kernel kernel;
    if (!parse_kernel(PyList_GetItem(value, i), kernel)) return false;
    kernels.push_back(std::move(kernel));
  }
  return true;
}

}  // namespace ngb::python
