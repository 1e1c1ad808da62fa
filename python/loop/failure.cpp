// SPDX-License-Identifier: Apache-2.0
#include "loop/failure.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "ngraphbench/tables.h"

namespace ngb::python {
namespace {

void copy_text(std::string_view text, char* to, std::size_t capacity) {
  std::size_t length = std::min(text.size(), capacity - 1);
  const auto continues = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U; };
  while (length > 0 && length < text.size() && continues(length)) {
    --length;
  }
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
}

// Returns the pending exception, with its traceback, and clears it.
Object take_exception() {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (value != nullptr && traceback != nullptr && PyException_SetTraceback(value, traceback) != 0) {
    PyErr_Clear();
  }
  Py_DecRef(type);
  Py_DecRef(traceback);
  return Object::steal(value);
}

struct Told {
  ngb_status status;
  std::string message;
  std::string advice;
};

std::optional<Told> ask(PyObject* host, PyObject* exception) {
  const Object arguments = Object::steal(PyTuple_Pack(1, exception));
  const Object answer = arguments ? call_method(host, "failure", arguments.get()) : Object();
  PyErr_Clear();
  if (!answer || !PyTuple_Check(answer.get()) || PyTuple_Size(answer.get()) != 3) {
    return std::nullopt;
  }
  const auto kind = to_text(PyTuple_GetItem(answer.get(), 0));
  const auto message = to_text(PyTuple_GetItem(answer.get(), 1));
  const auto advice = to_text(PyTuple_GetItem(answer.get(), 2));
  if (!kind || !message || !advice) {
    return std::nullopt;
  }
  return Told{table::status_called(*kind), *message, *advice};
}

}  // namespace

ngb_status report(ngb_status status, std::string_view message, std::string_view advice, ngb_error* error) {
  copy_text(message, error->message, sizeof error->message);
  copy_text(advice, error->advice, sizeof error->advice);
  return status;
}

ngb_status report_exception(PyObject* host, ngb_error* error) {
  const Object exception = take_exception();
  if (!exception) {
    return report(NGB_INTERNAL, "the Python adaptor failed without saying why", "", error);
  }
  if (const auto answer = ask(host, exception.get())) {
    return report(answer->status, answer->message, answer->advice, error);
  }
  if (PyErr_GivenExceptionMatches(exception.get(), PyExc_MemoryError) != 0) {
    return report(NGB_OUT_OF_MEMORY, "Python ran out of memory", "", error);
  }
  return report(NGB_INTERNAL, "the Python adaptor raised an exception that cannot be described", "", error);
}

}  // namespace ngb::python
