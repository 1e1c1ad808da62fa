// SPDX-License-Identifier: Apache-2.0
// ngraphbench._loop runs a worker in a Python process, including the two steps that Python's library cannot do.
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <exception>

#include "loop/bridge.h"
#include "worker/worker.h"

namespace {

using ngb::python::Object;

ngb::Result<const ngb_compiler*> hand_over(const ngb::work::WorkerRequest& /*request*/, void* table) {
  return static_cast<const ngb_compiler*>(table);
}

// Forks as Python does, which keeps its own state right in both processes.
pid_t fork_python() {
  const Object os = Object::steal(PyImport_ImportModule("os"));
  const Object forked = os ? ngb::python::call_method(os.get(), "fork", nullptr) : Object();
  const auto pid = forked ? ngb::python::to_integer(forked.get()) : std::nullopt;
  if (pid) return static_cast<pid_t>(*pid);
  PyErr_Clear();
  errno = EAGAIN;
  return -1;
}

PyObject* serve(PyObject* /*module*/, PyObject* host) {
  const ngb_compiler* table = ngb::python::make_table(host);
  if (table == nullptr) {
    return nullptr;
  }
  try {
    // Nobody writes through the context pointer; `hand_over` makes it const again.
    return PyLong_FromLong(ngb::worker::serve(hand_over, const_cast<ngb_compiler*>(table), fork_python));
  } catch (const std::exception& exception) {
    PyErr_SetString(PyExc_RuntimeError, exception.what());
    return nullptr;
  }
}

PyObject* die_with_parent(PyObject* /*module*/, PyObject* parent) {
  const auto expected = ngb::python::to_integer(parent);
  if (!expected) {
    PyErr_SetString(PyExc_TypeError, "die_with_parent(parent_pid: int)");
    return nullptr;
  }
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) {
    return PyErr_SetFromErrno(PyExc_OSError);
  }
  // The parent may have ended before the call to prctl.
  if (getppid() != static_cast<pid_t>(*expected)) {
    raise(SIGKILL);
  }
  Py_IncRef(Py_None);
  return Py_None;
}

PyMethodDef methods[] = {
    {"serve", serve, METH_O,
     "serve(host) -> exit code\n\nReads the request from file descriptor 3, measures the adaptor of `host`\n"
     "(a ngraphbench.hosting.Host) and writes the result to file descriptor 4."},
    {"die_with_parent", die_with_parent, METH_O,
     "die_with_parent(parent_pid)\n\nMakes the kernel send SIGKILL to this process when its parent, whose id is given, "
     "ends."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "_loop",
                          "The worker's timing loop, hosted by Python.",
                          -1,
                          methods,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

}  // namespace

// NOLINTNEXTLINE(bugprone-reserved-identifier): the name that Python looks for.
PyMODINIT_FUNC PyInit__loop() {
  Object module = Object::steal(PyModule_Create(&definition));
  if (!module || PyModule_AddStringConstant(module.get(), "version", NGB_VERSION) != 0) {
    return nullptr;
  }
  return module.release();
}
