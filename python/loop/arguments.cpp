// SPDX-License-Identifier: Apache-2.0
#include "loop/arguments.h"

#include <span>

#include "ngraphbench/tables.h"

namespace ngb::python {
namespace {

constexpr int kMemoryViewReadOnly = 0x100;  // PyBUF_READ, which the limited API names only since 3.11

template <class... Parts>
Object pack(const Parts&... parts) {
  if ((!parts || ...)) {
    return {};
  }
  return Object::steal(PyTuple_Pack(sizeof...(parts), parts.get()...));
}

Object integer(long long number) { return Object::steal(PyLong_FromLongLong(number)); }

Object text_or_empty(const char* text) { return to_str(text == nullptr ? "" : text); }

// Returns a tuple of the `count` objects that `make(index)` returns.
template <class Make>
Object tuple_of(std::size_t count, Make make) {
  Object tuple = Object::steal(PyTuple_New(static_cast<Py_ssize_t>(count)));
  for (std::size_t i = 0; tuple && i < count; ++i) {
    Object item = make(i);
    // PyTuple_SetItem owns the reference from now on, even if it fails.
    if (!item || PyTuple_SetItem(tuple.get(), static_cast<Py_ssize_t>(i), item.release()) != 0) {
      return {};
    }
  }
  return tuple;
}

Object shape_of(const ngb_tensor& tensor) {
  const std::span shape(tensor.shape, static_cast<std::size_t>(tensor.rank));
  return tuple_of(shape.size(), [&](std::size_t i) { return integer(shape[i]); });
}

Object dtype_of(const ngb_tensor& tensor) {
  const table::TypeRow* const row = table::type_row(tensor.dtype);
  if (row == nullptr) {
    PyErr_Format(PyExc_ValueError, "unknown element type %d", static_cast<int>(tensor.dtype));
    return {};
  }
  return to_str(row->word);
}

Object signature_of(const ngb_tensor& tensor) {
  return pack(text_or_empty(tensor.name), dtype_of(tensor), shape_of(tensor));
}

Object view_of(const ngb_tensor& tensor) {
  static char nothing = 0;
  char* data = tensor.data == nullptr ? &nothing : static_cast<char*>(tensor.data);
  const std::uint64_t size = tensor.data == nullptr ? 0 : tensor.size_bytes;
  return Object::steal(PyMemoryView_FromMemory(data, static_cast<Py_ssize_t>(size), kMemoryViewReadOnly));
}

// Returns null with a Python error set if there is no memory.
Object dictionary_of(const ngb_option* items, std::uint32_t count) {
  Object dictionary = Object::steal(PyDict_New());
  for (std::uint32_t i = 0; dictionary && i < count; ++i) {
    const Object name = text_or_empty(items[i].name);
    const Object value = text_or_empty(items[i].value);
    if (!name || !value || PyDict_SetItem(dictionary.get(), name.get(), value.get()) != 0) {
      return {};
    }
  }
  return dictionary;
}

}  // namespace

Object settings_arguments(const ngb_settings& settings) {
  const Object options = dictionary_of(settings.options, settings.option_count);
  const Object handed_on = dictionary_of(settings.settings, settings.setting_count);
  return pack(text_or_empty(settings.toolchain_dir), text_or_empty(settings.device), text_or_empty(settings.precision),
              integer(settings.threads), options, text_or_empty(settings.cache_dir), handed_on,
              integer(settings.is_profiled), integer(settings.has_many_shapes));
}

Object model_arguments(const ngb_model& model) {
  const Object inputs = tuple_of(model.input_count, [&](std::size_t i) { return signature_of(model.inputs[i]); });
  return pack(text_or_empty(model.path), text_or_empty(model.recipe_json), inputs, text_or_empty(model.artifact_path));
}

Object input_arguments(const ngb_tensor* inputs, std::uint32_t count) {
  const Object tensors = tuple_of(count, [&](std::size_t i) {
    const ngb_tensor& tensor = inputs[i];
    return pack(text_or_empty(tensor.name), dtype_of(tensor), shape_of(tensor), view_of(tensor));
  });
  return pack(tensors);
}

Object feedback_arguments(const ngb_feedback* pairs, std::uint32_t count, std::int64_t row) {
  const Object all = tuple_of(count, [&](std::size_t i) {
    return pack(integer(pairs[i].input), integer(pairs[i].output), integer(pairs[i].axis));
  });
  return pack(all, integer(row));
}

}  // namespace ngb::python
