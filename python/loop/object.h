// SPDX-License-Identifier: Apache-2.0
// Owned references to Python objects, and text in and out of them. Every function here wants the GIL. Reference counts
// go through the interpreter's own functions: an inlined count would be wrong for the immortal objects of
// CPython 3.12+.
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

  // Takes over a reference that the caller owns; null when the call that made it has failed.
  static Object steal(PyObject* pointer);
  // Adds a reference of its own.
  static Object share(PyObject* pointer);

  [[nodiscard]] PyObject* get() const { return pointer_; }
  PyObject* release();
  explicit operator bool() const { return pointer_ != nullptr; }

 private:
  PyObject* pointer_ = nullptr;
};

// Bytes that are not UTF-8 become U+FFFD. Null, with a Python error set, when memory is short.
Object to_str(const char* text);

// Nothing, without a Python error, when `value` is not a str or has no UTF-8 form.
std::optional<std::string> to_text(PyObject* value);

// Nothing, without a Python error, when `value` is not an int or does not fit.
std::optional<long long> to_integer(PyObject* value);

// `object.name(arguments…)`, arguments a tuple. Null, with a Python error set, when it raises or is not there.
Object call_method(PyObject* object, const char* name, PyObject* arguments);

}  // namespace ngb::python
