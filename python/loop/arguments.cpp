// SPDX-License-Identifier: Apache-2.0
#include "loop/arguments.h"

#include <array>
#include <span>

namespace ngb::python {
namespace {

struct DtypeRow {
  ngb_dtype dtype;
  std::string_view name;
  std::size_t size_bytes;
};

constexpr std::array kDtypes{
    DtypeRow{NGB_F32, "f32", 4}, DtypeRow{NGB_F16, "f16", 2}, DtypeRow{NGB_BF16, "bf16", 2},
    DtypeRow{NGB_F64, "f64", 8}, DtypeRow{NGB_I64, "i64", 8}, DtypeRow{NGB_I32, "i32", 4},
    DtypeRow{NGB_I8, "i8", 1},   DtypeRow{NGB_U8, "u8", 1},   DtypeRow{NGB_BOOL, "bool", 1},
};

const DtypeRow* find_row(ngb_dtype dtype) {
  for (const DtypeRow& row : kDtypes) {
    if (row.dtype == dtype) {
      return &row;
    }
  }
  return nullptr;
}

constexpr int kMemoryViewReadOnly = 0x100;  // PyBUF_READ, which the headers' limited API names only from 3.11 on

template <class... Parts>
Object pack(const Parts&... parts) {
  if ((!parts || ...)) {
    return {};
  }
  return Object::steal(PyTuple_Pack(sizeof...(parts), parts.get()...));
}

Object integer(long long number) { return Object::steal(PyLong_FromLongLong(number)); }

Object text_or_empty(const char* text) { return to_str(text == nullptr ? "" : text); }

// A tuple of `count` objects made by `make(index)`.
template <class Make>
Object tuple_of(std::size_t count, Make make) {
  Object tuple = Object::steal(PyTuple_New(static_cast<Py_ssize_t>(count)));
  for (std::size_t i = 0; tuple && i < count; ++i) {
    Object item = make(i);
    // PyTuple_SetItem takes the reference over, also when it fails.
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
  const std::string_view name = dtype_name(tensor.dtype);
  if (name.empty()) {
    PyErr_Format(PyExc_ValueError, "unknown element type %d", static_cast<int>(tensor.dtype));
    return {};
  }
  return to_str(name.data());
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

}  // namespace

std::string_view dtype_name(ngb_dtype dtype) {
  const DtypeRow* row = find_row(dtype);
  return row == nullptr ? std::string_view() : row->name;
}

std::optional<ngb_dtype> parse_dtype(std::string_view name) {
  for (const DtypeRow& row : kDtypes) {
    if (row.name == name) {
      return row.dtype;
    }
  }
  return std::nullopt;
}

std::size_t dtype_size_bytes(ngb_dtype dtype) {
  const DtypeRow* row = find_row(dtype);
  return row == nullptr ? 0 : row->size_bytes;
}

Object settings_arguments(const ngb_settings& settings) {
  Object options = Object::steal(PyDict_New());
  for (std::uint32_t i = 0; options && i < settings.option_count; ++i) {
    const Object name = text_or_empty(settings.options[i].name);
    const Object value = text_or_empty(settings.options[i].value);
    if (!name || !value || PyDict_SetItem(options.get(), name.get(), value.get()) != 0) {
      return {};
    }
  }
  return pack(text_or_empty(settings.toolchain_dir), text_or_empty(settings.device), text_or_empty(settings.precision),
              integer(settings.threads), options, text_or_empty(settings.cache_dir));
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

}  // namespace ngb::python
