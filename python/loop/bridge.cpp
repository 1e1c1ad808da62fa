// SPDX-License-Identifier: Apache-2.0
#include "loop/bridge.h"

#include <deque>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "loop/arguments.h"
#include "loop/failure.h"
#include "loop/kernels.h"
#include "loop/outputs.h"

struct ngb_session {
  ngb::python::Object adaptor;  // ngraphbench.hosting.Session
  ngb::python::Object runner;   // the timed callable
  std::vector<ngb::python::Output> outputs;
  bool outputs_are_fresh = false;
  ngb::KernelTable kernels;
  std::deque<ngb::python::Facts> facts;  // one entry per question, because facts stay valid until close
};

namespace ngb::python {
namespace {

// The table's functions receive no context, so a process has one host. It lives as long as the interpreter.
struct Hosted {
  Object host;
  std::string description;
  ngb_compiler table{};
};

Hosted& hosted() {
  static Hosted* const only = new Hosted;
  return *only;
}

ngb_status failed(ngb_error* error) { return report_exception(hosted().host.get(), error); }

// C++ exceptions (in practice, lack of memory) end here too.
template <class Body>
ngb_status guarded(ngb_error* error, Body body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    PyErr_Clear();
    return report(NGB_OUT_OF_MEMORY, "out of memory while calling the Python adaptor", "", error);
  } catch (...) {
    PyErr_Clear();
    return report(NGB_INTERNAL, "an unexpected C++ exception while calling the Python adaptor", "", error);
  }
}

const char* describe() { return hosted().description.c_str(); }

ngb_status open(const ngb_settings* settings, ngb_session** session, ngb_error* error) {
  *session = nullptr;
  return guarded(error, [&] {
    const Object arguments = settings_arguments(*settings);
    Object adaptor = arguments ? call_method(hosted().host.get(), "open", arguments.get()) : Object();
    if (!adaptor) {
      return failed(error);
    }
    *session = new ngb_session;
    (*session)->adaptor = std::move(adaptor);
    return NGB_OK;
  });
}

// Calls a method and drops what it returns.
ngb_status perform(ngb_session* session, const char* method, const Object& arguments, ngb_error* error) {
  if (!arguments || !call_method(session->adaptor.get(), method, arguments.get())) {
    return failed(error);
  }
  return NGB_OK;
}

ngb_status compile(ngb_session* session, const ngb_model* model, ngb_error* error) {
  return guarded(error, [&] { return perform(session, "compile", model_arguments(*model), error); });
}

ngb_status load(ngb_session* session, const ngb_model* model, ngb_error* error) {
  return guarded(error, [&] { return perform(session, "load", model_arguments(*model), error); });
}

ngb_status ask_for_runner(ngb_session* session, ngb_error* error) {
  session->runner = call_method(session->adaptor.get(), "runner", nullptr);
  return session->runner ? NGB_OK : failed(error);
}

ngb_status bind(ngb_session* session, const ngb_tensor* inputs, uint32_t input_count, ngb_error* error) {
  return guarded(error, [&] {
    const Object arguments = input_arguments(inputs, input_count);
    if (const ngb_status status = perform(session, "bind", arguments, error); status != NGB_OK) {
      return status;
    }
    return ask_for_runner(session, error);
  });
}

ngb_status run(ngb_session* session, ngb_error* error) {
  session->outputs_are_fresh = false;
  PyObject* const ignored = PyObject_CallNoArgs(session->runner.get());
  if (ignored == nullptr) [[unlikely]] {
    return guarded(error, [&] { return failed(error); });
  }
  Py_DecRef(ignored);
  return NGB_OK;
}

ngb_status read(ngb_session* session, uint32_t index, ngb_tensor* output, uint32_t* output_count, ngb_error* error) {
  *output_count = 0;
  return guarded(error, [&] {
    if (!session->outputs_are_fresh) {
      const Object value = call_method(session->adaptor.get(), "read", nullptr);
      if (!value || !parse_outputs(value.get(), session->outputs)) {
        return failed(error);
      }
      session->outputs_are_fresh = true;
    }
    *output_count = static_cast<uint32_t>(session->outputs.size());
    if (index < *output_count && output != nullptr) {
      *output = to_tensor(session->outputs[index]);
    } else if (output != nullptr) {
      return report(NGB_INTERNAL, "there is no output " + std::to_string(index), "", error);
    }
    return NGB_OK;
  });
}

// Returns the adaptor's facts. If it raises, the only fact is its error.
Facts ask_for_facts(ngb_session* session) {
  Facts facts;
  const Object returned = call_method(session->adaptor.get(), "inspect", nullptr);
  if (!returned || !parse_facts(returned.get(), facts)) {
    ngb_error error{};
    failed(&error);
    facts.assign(1, {"inspect_error", error.message});
  }
  return facts;
}

// The adaptor is asked again whenever fact 0 is requested.
int32_t inspect(ngb_session* session, uint32_t index, const char** key, const char** value) {
  ngb_error error{};
  const ngb_status status = guarded(&error, [&] {
    if (index == 0) {
      session->facts.push_back(ask_for_facts(session));
    }
    return NGB_OK;
  });
  if (status != NGB_OK || session->facts.empty() || index >= session->facts.back().size()) {
    return 0;
  }
  const auto& fact = session->facts.back()[index];
  *key = fact.first.c_str();
  *value = fact.second.c_str();
  return 1;
}

ngb_status begin_profile(ngb_session* session, ngb_error* error) {
  return guarded(error, [&] {
    const ngb_status status = perform(session, "begin_profile", Object::steal(PyTuple_New(0)), error);
    return status == NGB_OK ? ask_for_runner(session, error) : status;
  });
}

ngb_status end_profile(ngb_session* session, uint32_t inferences, const ngb_kernel** kernels, uint32_t* count,
                       ngb_error* error) {
  *kernels = nullptr;
  *count = 0;
  return guarded(error, [&] {
    const Object arguments = Object::steal(Py_BuildValue("(k)", static_cast<unsigned long>(inferences)));
    const Object told = arguments ? call_method(session->adaptor.get(), "end_profile", arguments.get()) : Object();
    std::vector<Kernel> parsed;
    if (!told || !parse_kernels(told.get(), parsed)) {
      return failed(error);
    }
    session->kernels = KernelTable(std::move(parsed));
    *kernels = session->kernels.data();
    *count = session->kernels.size();
    return ask_for_runner(session, error);
  });
}

ngb_status feed_back(ngb_session* session, const ngb_feedback* pairs, uint32_t count, int64_t row,
                     uint64_t* copied_bytes, ngb_error* error) {
  *copied_bytes = NGB_FED_BY_HOST;
  return guarded(error, [&] {
    const Object arguments = feedback_arguments(pairs, count, row);
    const Object told = arguments ? call_method(session->adaptor.get(), "feed_back", arguments.get()) : Object();
    if (!told) {
      return failed(error);
    }
    const auto bytes = to_integer(told.get());
    if (!bytes) {
      return NGB_OK;  // None
    }
    *copied_bytes = static_cast<uint64_t>(*bytes);
    return ask_for_runner(session, error);
  });
}

void close(ngb_session* session) {
  if (session == nullptr) {
    return;
  }
  ngb_error ignored{};
  session->runner = {};  // the runner may hold what close must free
  guarded(&ignored, [&] { return perform(session, "close", Object::steal(PyTuple_New(0)), &ignored); });
  delete session;
}

}  // namespace

const ngb_compiler* make_table(PyObject* host) {
  const Object description = Object::steal(PyObject_GetAttrString(host, "description"));
  const Object produces_file = Object::steal(PyObject_GetAttrString(host, "produces_file"));
  const auto text = to_text(description.get());
  if (!produces_file || !text) {
    if (PyErr_Occurred() == nullptr) {
      PyErr_SetString(PyExc_TypeError, "host.description must be a str");
    }
    return nullptr;
  }
  Hosted& only = hosted();
  only.host = Object::share(host);
  only.description = *text;
  const bool loads = PyObject_IsTrue(produces_file.get()) == 1;
  only.table = ngb_compiler{NGB_ABI,       sizeof(ngb_compiler),
                            describe,      open,
                            compile,       loads ? load : nullptr,
                            bind,          run,
                            read,          inspect,
                            close,         nullptr,
                            nullptr,       nullptr,
                            begin_profile, end_profile,
                            feed_back,     nullptr};
  return &only.table;
}

}  // namespace ngb::python
