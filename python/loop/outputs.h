// SPDX-License-Identifier: Apache-2.0
// Copies what an adaptor returns out of Python and checks all of it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "loop/object.h"
#include "ngraphbench/compiler.h"

namespace ngb::python {

struct Output {
  std::string name;
  ngb_dtype dtype = NGB_F32;
  std::vector<std::int64_t> shape;
  Object bytes;  // a Python bytes object of exactly the size of dtype and shape
};

// Parses [(name, dtype, shape, bytes-like), …]. On failure returns false, with a Python error that names it.
bool parse_outputs(PyObject* value, std::vector<Output>& outputs);

// Returns a tensor that points into `output`.
ngb_tensor to_tensor(const Output& output);

using Facts = std::vector<std::pair<std::string, std::string>>;
// Parses [(key, value), …], all str. If that fails, returns false and sets a Python error.
bool parse_facts(PyObject* value, Facts& facts);

}  // namespace ngb::python
