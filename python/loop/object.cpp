// SPDX-License-Identifier: Apache-2.0
#include "loop/object.h"

#include <cstring>
#include <utility>

namespace ngb::python {

Object& Object::operator=(Object&& other) noexcept {
  if (this != &other) {
    Py_DecRef(std::exchange(pointer_, other.release()));
  }
  return *this;
}

Object Object::steal(PyObject* pointer) {
  Object object;
  object.pointer_ = pointer;
  return object;
}

Object Object::share(PyObject* pointer) {
  Py_IncRef(pointer);
  return steal(pointer);
}

PyObject* Object::release() { return std::exchange(pointer_, nullptr); }

Object to_str(const char* text) {
  return Object::steal(PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(std::strlen(text)), "replace"));
}

std::optional<std::string> to_text(PyObject* value) {
  if (value == nullptr || !PyUnicode_Check(value)) {
    return std::nullopt;
  }
  const Object bytes = Object::steal(PyUnicode_AsUTF8String(value));
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (!bytes || PyBytes_AsStringAndSize(bytes.get(), &data, &size) != 0) {
    PyErr_Clear();
    return std::nullopt;
  }
  return std::string(data, static_cast<std::size_t>(size));
}

std::optional<long long> to_integer(PyObject* value) {
  if (value == nullptr || !PyLong_Check(value)) {
    return std::nullopt;
  }
  const long long number = PyLong_AsLongLong(value);
  if (number == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    return std::nullopt;
  }
  return number;
}

Object call_method(PyObject* object, const char* name, PyObject* arguments) {
  const Object method = Object::steal(PyObject_GetAttrString(object, name));
  return method ? Object::steal(PyObject_CallObject(method.get(), arguments)) : Object();
}

}  // namespace ngb::python
