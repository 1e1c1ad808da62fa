// SPDX-License-Identifier: Apache-2.0
// Drives the bridge's C table from a Python test, as the worker does. A failed call raises RuntimeError((status,
// message, advice)).
#include <chrono>
#include <cstring>
#include <vector>

#include "loop/arguments.h"
#include "loop/bridge.h"

namespace {

using ngb::python::Object;

const ngb_compiler* table = nullptr;
ngb_session* session = nullptr;
std::vector<float> input(3, 0.5F);

PyObject* none() {
  Py_IncRef(Py_None);
  return Py_None;
}

PyObject* done(ngb_status status, const ngb_error& error) {
  if (status == NGB_OK) {
    return none();
  }
  const Object value = Object::steal(Py_BuildValue("(iss)", static_cast<int>(status), error.message, error.advice));
  if (value) {
    PyErr_SetObject(PyExc_RuntimeError, value.get());
  }
  return nullptr;
}

PyObject* use(PyObject* /*module*/, PyObject* host) {
  table = ngb::python::make_table(host);
  return table == nullptr ? nullptr : PyUnicode_FromString(table->describe());
}

PyObject* has_load(PyObject* /*module*/, PyObject* /*unused*/) {
  return PyBool_FromLong(table->load != nullptr ? 1 : 0);
}

// open(threads, [(name, value), …])
PyObject* open(PyObject* /*module*/, PyObject* arguments) {
  int threads = 0;
  const char* name = nullptr;
  const char* value = nullptr;
  if (PyArg_ParseTuple(arguments, "izz", &threads, &name, &value) == 0) {
    return nullptr;
  }
  const ngb_option option{name, value};
  const ngb_option handed_on{"level", "2"};
  const ngb_settings settings{.struct_size = sizeof(ngb_settings),
                              .toolchain_dir = "",
                              .device = "cpu",
                              .precision = "f32",
                              .threads = threads,
                              .options = &option,
                              .option_count = name == nullptr ? 0U : 1U,
                              .python = "",
                              .cache_dir = "",
                              .report = nullptr,
                              .report_context = nullptr,
                              .settings = &handed_on,
                              .setting_count = 1,
                              .in_flight = 1,
                              .is_profiled = 1,
                              .has_compiled_file = 0,
                              .has_many_shapes = 1};
  ngb_error error{};
  return done(table->open(&settings, &session, &error), error);
}

ngb_tensor input_signature(const std::vector<std::int64_t>& shape, void* data) {
  return {"input", NGB_F32, static_cast<std::int32_t>(shape.size()), shape.data(), data, input.size() * sizeof(float)};
}

PyObject* compile_or_load(PyObject* arguments, ngb_status (*function)(ngb_session*, const ngb_model*, ngb_error*)) {
  const char* recipe = nullptr;
  if (PyArg_ParseTuple(arguments, "s", &recipe) == 0) {
    return nullptr;
  }
  const std::vector<std::int64_t> shape{1, 3};
  const ngb_tensor signature = input_signature(shape, nullptr);
  const ngb_model model{sizeof(ngb_model), "/models/a.onnx", recipe, &signature, 1, "/artifacts/a"};
  ngb_error error{};
  return done(function(session, &model, &error), error);
}

PyObject* compile(PyObject* /*module*/, PyObject* arguments) { return compile_or_load(arguments, table->compile); }
PyObject* load(PyObject* /*module*/, PyObject* arguments) { return compile_or_load(arguments, table->load); }

PyObject* bind(PyObject* /*module*/, PyObject* /*unused*/) {
  const std::vector<std::int64_t> shape{1, 3};
  const ngb_tensor tensor = input_signature(shape, input.data());
  ngb_error error{};
  return done(table->bind(session, &tensor, 1, &error), error);
}

// run(count) -> ns per call
PyObject* run(PyObject* /*module*/, PyObject* arguments) {
  long count = 0;
  if (PyArg_ParseTuple(arguments, "l", &count) == 0) {
    return nullptr;
  }
  ngb_error error{};
  const auto begin = std::chrono::steady_clock::now();
  for (long i = 0; i < count; ++i) {
    if (const ngb_status status = table->run(session, &error); status != NGB_OK) {
      return done(status, error);
    }
  }
  const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
  return PyFloat_FromDouble(taken.count() / static_cast<double>(count));
}

// read() -> [(name, dtype number, rank, first extent or -1, bytes)]
PyObject* read(PyObject* /*module*/, PyObject* /*unused*/) {
  ngb_error error{};
  std::uint32_t count = 0;
  if (const ngb_status status = table->read(session, 0, nullptr, &count, &error); status != NGB_OK) {
    return done(status, error);
  }
  Object outputs = Object::steal(PyList_New(0));
  for (std::uint32_t i = 0; outputs && i < count; ++i) {
    ngb_tensor tensor{};
    if (const ngb_status status = table->read(session, i, &tensor, &count, &error); status != NGB_OK) {
      return done(status, error);
    }
    const Object output =
        Object::steal(Py_BuildValue("(siiLy#)", tensor.name, static_cast<int>(tensor.dtype), tensor.rank,
                                    static_cast<long long>(tensor.rank > 0 ? tensor.shape[0] : -1),
                                    static_cast<const char*>(tensor.data), static_cast<Py_ssize_t>(tensor.size_bytes)));
    if (!output || PyList_Append(outputs.get(), output.get()) != 0) {
      return nullptr;
    }
  }
  return outputs.release();
}

PyObject* begin_profile(PyObject* /*module*/, PyObject* /*unused*/) {
  ngb_error error{};
  return done(table->begin_profile(session, &error), error);
}

Object list_of(const char* const* names, std::uint32_t count) {
  Object list = Object::steal(PyList_New(0));
  for (std::uint32_t i = 0; list && i < count; ++i) {
    const Object name = ngb::python::to_str(names[i]);
    if (!name || PyList_Append(list.get(), name.get()) != 0) {
      return {};
    }
  }
  return list;
}

// end_profile(inferences) -> [(name, kind, ns, nodes, outputs, found_by)]
PyObject* end_profile(PyObject* /*module*/, PyObject* arguments) {
  unsigned int inferences = 0;
  if (PyArg_ParseTuple(arguments, "I", &inferences) == 0) {
    return nullptr;
  }
  ngb_error error{};
  const ngb_kernel* kernels = nullptr;
  std::uint32_t count = 0;
  if (const ngb_status status = table->end_profile(session, inferences, &kernels, &count, &error); status != NGB_OK) {
    return done(status, error);
  }
  Object told = Object::steal(PyList_New(0));
  for (std::uint32_t i = 0; told && i < count; ++i) {
    const ngb_kernel& kernel = kernels[i];
    const Object nodes = list_of(kernel.nodes, kernel.node_count);
    const Object outputs = list_of(kernel.outputs, kernel.output_count);
    const Object row = Object::steal(
        Py_BuildValue("(ssdOOs)", kernel.name, kernel.kind, kernel.ns, nodes.get(), outputs.get(), kernel.found_by));
    if (!row || PyList_Append(told.get(), row.get()) != 0) {
      return nullptr;
    }
  }
  return told.release();
}

PyObject* inspect(PyObject* /*module*/, PyObject* /*unused*/) {
  Object facts = Object::steal(PyDict_New());
  const char* key = nullptr;
  const char* value = nullptr;
  for (std::uint32_t i = 0; facts && table->inspect(session, i, &key, &value) == 1; ++i) {
    const Object text = ngb::python::to_str(value);
    if (!text || PyDict_SetItemString(facts.get(), key, text.get()) != 0) {
      return nullptr;
    }
  }
  return facts.release();
}

PyObject* close(PyObject* /*module*/, PyObject* /*unused*/) {
  table->close(session);
  session = nullptr;
  return none();
}

PyMethodDef methods[] = {
    {"use", use, METH_O, nullptr},
    {"has_load", has_load, METH_NOARGS, nullptr},
    {"open", open, METH_VARARGS, nullptr},
    {"compile", compile, METH_VARARGS, nullptr},
    {"load", load, METH_VARARGS, nullptr},
    {"bind", bind, METH_NOARGS, nullptr},
    {"run", run, METH_VARARGS, nullptr},
    {"read", read, METH_NOARGS, nullptr},
    {"inspect", inspect, METH_NOARGS, nullptr},
    {"begin_profile", begin_profile, METH_NOARGS, nullptr},
    {"end_profile", end_profile, METH_VARARGS, nullptr},
    {"close", close, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_probe", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

// NOLINTNEXTLINE(bugprone-reserved-identifier): the name that Python looks for.
PyMODINIT_FUNC PyInit__probe() { return PyModule_Create(&definition); }
