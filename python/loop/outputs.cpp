// SPDX-License-Identifier: Apache-2.0
#include "loop/outputs.h"

#include <limits>
#include <optional>
#include <string_view>

#include "ngraphbench/tables.h"

namespace ngb::python {
namespace {

bool refuse(const std::string& why) {
  PyErr_SetString(PyExc_TypeError, why.c_str());
  return false;
}

// Returns the items of a list or tuple, or null with a Python error set.
Object items_of(PyObject* value, const char* what) {
  if (!PyList_Check(value) && !PyTuple_Check(value)) {
    refuse(std::string(what) + " must be a list or tuple");
    return {};
  }
  return Object::steal(PySequence_List(value));
}

std::optional<std::uint64_t> dense_size_bytes(ngb_dtype dtype, const std::vector<std::int64_t>& shape) {
  std::uint64_t size = table::type_row(dtype)->size_bytes;
  for (const std::int64_t extent : shape) {
    if (__builtin_mul_overflow(size, static_cast<std::uint64_t>(extent), &size)) {
      return std::nullopt;
    }
  }
  return size;
}

bool parse_shape(PyObject* value, Output& output) {
  const Object extents = items_of(value, "an output's shape");
  if (!extents) {
    return false;
  }
  for (Py_ssize_t i = 0; i < PyList_Size(extents.get()); ++i) {
    const auto extent = to_integer(PyList_GetItem(extents.get(), i));
    if (!extent || *extent < 0) {
      return refuse("output \"" + output.name + "\": every extent of its shape must be an int >= 0");
    }
    output.shape.push_back(*extent);
  }
  return output.shape.size() <= std::numeric_limits<std::int32_t>::max();
}

bool parse_bytes(PyObject* value, Output& output) {
  const Object view = Object::steal(PyMemoryView_FromObject(value));
  if (!view) {
    PyErr_Clear();
    return refuse("output \"" + output.name + "\": its data must be bytes-like");
  }
  output.bytes = Object::steal(PyBytes_FromObject(view.get()));
  if (!output.bytes) {
    return false;
  }
  const auto expected = dense_size_bytes(output.dtype, output.shape);
  const auto actual = static_cast<std::uint64_t>(PyBytes_Size(output.bytes.get()));
  if (!expected || *expected != actual) {
    return refuse("output \"" + output.name + "\": its type and shape need " +
                  (expected ? std::to_string(*expected) : "more than 2^64") + " bytes, its data has " +
                  std::to_string(actual));
  }
  return true;
}

bool parse_output(PyObject* value, Output& output) {
  const Object parts = items_of(value, "an output");
  if (!parts) {
    return false;
  }
  if (PyList_Size(parts.get()) != 4) {
    return refuse("an output must be (name, dtype, shape, bytes)");
  }
  const auto name = to_text(PyList_GetItem(parts.get(), 0));
  if (!name || name->find('\0') != std::string::npos) {
    return refuse("an output's name must be a str without zero characters");
  }
  output.name = *name;
  const auto dtype_text = to_text(PyList_GetItem(parts.get(), 1));
  const table::TypeRow* const row = dtype_text ? table::type_row(*dtype_text) : nullptr;
  if (row == nullptr) {
    return refuse("output \"" + output.name + "\": its type must be one of " + table::all_types());
  }
  output.dtype = row->type;
  return parse_shape(PyList_GetItem(parts.get(), 2), output) && parse_bytes(PyList_GetItem(parts.get(), 3), output);
}

}  // namespace

bool parse_outputs(PyObject* value, std::vector<Output>& outputs) {
  outputs.clear();
  const Object items = items_of(value, "what read() returns");
  if (!items) {
    return false;
  }
  for (Py_ssize_t i = 0; i < PyList_Size(items.get()); ++i) {
    Output output;
    if (!parse_output(PyList_GetItem(items.get(), i), output)) {
      return false;
    }
    outputs.push_back(std::move(output));
  }
  return true;
}

ngb_tensor to_tensor(const Output& output) {
  char* data = nullptr;
  Py_ssize_t size = 0;
  PyBytes_AsStringAndSize(output.bytes.get(), &data, &size);
  ngb_tensor tensor{};
  tensor.name = output.name.c_str();
  tensor.dtype = output.dtype;
  tensor.rank = static_cast<std::int32_t>(output.shape.size());
  tensor.shape = output.shape.data();
  tensor.data = data;
  tensor.size_bytes = static_cast<std::uint64_t>(size);
  return tensor;
}

bool parse_facts(PyObject* value, Facts& facts) {
  facts.clear();
  const Object items = items_of(value, "what inspect() returns");
  if (!items) {
    return false;
  }
  for (Py_ssize_t i = 0; i < PyList_Size(items.get()); ++i) {
    const Object parts = items_of(PyList_GetItem(items.get(), i), "a fact");
    if (!parts) {
      return false;
    }
    if (PyList_Size(parts.get()) != 2) {
      return refuse("a fact must be (key, value)");
    }
    const auto key = to_text(PyList_GetItem(parts.get(), 0));
    const auto text = to_text(PyList_GetItem(parts.get(), 1));
    if (!key || !text) {
      return refuse("a fact's key and value must be str");
    }
    facts.emplace_back(*key, *text);
  }
  return true;
}

}  // namespace ngb::python
