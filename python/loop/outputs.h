// SPDX-License-Identifier: Apache-2.0
// What an adaptor gives back, copied out of Python and checked: nothing that it returns is trusted.
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
  Object bytes;  // a Python bytes object of exactly the size that dtype and shape ask for
};

// From [(name, dtype, shape, bytes-like), …]. On nonsense returns false with a Python error set that names the output.
bool parse_outputs(PyObject* value, std::vector<Output>& outputs);

// Points into `output`.
ngb_tensor to_tensor(const Output& output);

using Facts = std::vector<std::pair<std::string, std::string>>;
// From [(key, value), …], all str. On nonsense returns false with a Python error set.
bool parse_facts(PyObject* value, Facts& facts);

}  // namespace ngb::python
