// SPDX-License-Identifier: Apache-2.0
// Owns references to Python objects, and converts text to and from them. Every function here must be called with the
// GIL held. Reference counts change only through the interpreter's functions: inlined counting would be wrong for the
// immortal objects of CPython 3.12 and newer.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <optional>
#include <string>

namespace ngb::python {

class Object {
 public:
  Object() = default;
  Object(Object&& other) noexcept : pointer_(other.release()) {}
  Object& operator=(Object&& other) noexcept;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  ~Object() { Py_DecRef(pointer_); }

  // Becomes the owner of a reference. `pointer` is null if the call that made it failed.
  static Object steal(PyObject* pointer);
  // Adds a reference.
  static Object share(PyObject* pointer);

  [[nodiscard]] PyObject* get() const { return pointer_; }
  PyObject* release();
  explicit operator bool() const { return pointer_ != nullptr; }

 private:
  PyObject* pointer_ = nullptr;
};

// Returns a str with U+FFFD for bytes that are not UTF-8, or null, with a Python error set, if memory is short.
Object to_str(const char* text);

// Returns nothing, without a Python error, if `value` is not a str or has no UTF-8 form.
std::optional<std::string> to_text(PyObject* value);

// Returns nothing, without a Python error, if `value` is not an int or does not fit.
std::optional<long long> to_integer(PyObject* value);

// Calls `object.name(*arguments)`. Returns null, with a Python error set, if the method is missing or raises.
Object call_method(PyObject* object, const char* name, PyObject* arguments);

}  // namespace ngb::python
