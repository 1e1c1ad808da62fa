// SPDX-License-Identifier: Apache-2.0
#include "worker/inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>

#include "base/random.h"
#include "worker/element.h"

namespace ngb::worker {
namespace {

constexpr std::size_t kAlignment = 64;

// Stores value(u) as T for each element.
template <class T, class Value>
void fill_with(std::uint64_t key, void* data, std::uint64_t count, Value value) {
  T* elements = static_cast<T*>(data);
  for (std::uint64_t i = 0; i < count; ++i) elements[i] = value(splitmix64(key, i));
}

template <class T>
void nudge_all(std::uint64_t key, void* data, std::uint64_t count) {
  constexpr double kShare = 0x1p-17;
  T* elements = static_cast<T*>(data);
  for (std::uint64_t i = 0; i < count; ++i) {
    const double factor = (splitmix64(key, i) >> 63U) != 0 ? 1 + kShare : 1 - kShare;
    elements[i] = static_cast<T>(static_cast<double>(elements[i]) * factor);
  }
}

// Returns a multiple of 2^-(bits-1) in [-1, 1).
template <unsigned bits>
double uniform(std::uint64_t u) {
  return static_cast<double>(u >> (64U - bits)) / static_cast<double>(1ULL << (bits - 1U)) - 1.0;
}

// Converts elements of one floating type to another, or copies them if the types are equal.
void convert(DataType from, const void* source, DataType to, void* into, std::uint64_t count) {
  if (from == to) {
    std::memcpy(into, source, count * size_bytes(to));
    return;
  }
  with_reader(from, source, [&](auto&& at) {
    const auto store_all = [&]<class T>(T* elements, auto&& value_of) {
      for (std::uint64_t i = 0; i < count; ++i) elements[i] = value_of(at(i));
    };
    const auto narrow = [](double value) { return static_cast<float>(value); };
    if (to == DataType::f64) store_all(static_cast<double*>(into), [](double value) { return value; });
    if (to == DataType::f32) store_all(static_cast<float*>(into), narrow);
    if (to == DataType::f16)
      store_all(static_cast<std::uint16_t*>(into), [&](double value) { return half_from_float(narrow(value)); });
    if (to == DataType::bf16)
      store_all(static_cast<std::uint16_t*>(into), [&](double value) { return bfloat_from_float(narrow(value)); });
  });
}

// Stores numbers that count up from `first` along the last axis.
void count_up(const TensorSignature& input, std::int64_t first, void* data) {
  const auto period = static_cast<std::uint64_t>(input.shape.empty() ? 1 : input.shape.back());
  const auto store = [&]<class T>(T* elements) {
    for (std::uint64_t i = 0; i < input.element_count(); ++i) {
      elements[i] = static_cast<T>(first + static_cast<std::int64_t>(i % period));
    }
  };
  if (input.type == DataType::i64) store(static_cast<std::int64_t*>(data));
  if (input.type == DataType::i32) store(static_cast<std::int32_t*>(data));
}

Result<std::uint64_t> count_bytes(const TensorSignature& signature) {
  std::uint64_t bytes = size_bytes(signature.type);
  for (const std::int64_t extent : signature.shape) {
    if (extent < 0) return fail(fmt::format("input \"{}\" has extent {}", signature.name, extent));
    const auto wide = static_cast<std::uint64_t>(extent);
    if (wide != 0 && bytes > std::numeric_limits<std::int64_t>::max() / wide) {
      return fail(fmt::format("input \"{}\" does not fit into any memory", signature.name));
    }
    bytes *= wide;
  }
  return bytes;
}

}  // namespace

void fill(DataType type, std::uint64_t seed, std::string_view name, void* data, std::uint64_t count) {
  const std::uint64_t key = mix64(seed) ^ fnv1a64(name);
  const auto bit = [](std::uint64_t u) { return u >> 63U; };
  switch (type) {
    case DataType::f32:
      return fill_with<float>(key, data, count, [](std::uint64_t u) { return static_cast<float>(uniform<24>(u)); });
    case DataType::f16:
      return fill_with<std::uint16_t>(
          key, data, count, [](std::uint64_t u) { return half_from_float(static_cast<float>(uniform<11>(u))); });
    case DataType::bf16:
      return fill_with<std::uint16_t>(
          key, data, count, [](std::uint64_t u) { return bfloat_from_float(static_cast<float>(uniform<8>(u))); });
    case DataType::f64:
      return fill_with<double>(key, data, count, uniform<53>);
    case DataType::i64:
      return fill_with<std::int64_t>(key, data, count,
                                     [bit](std::uint64_t u) { return static_cast<std::int64_t>(bit(u)); });
    case DataType::i32:
      return fill_with<std::int32_t>(key, data, count,
                                     [bit](std::uint64_t u) { return static_cast<std::int32_t>(bit(u)); });
    case DataType::i8:
    case DataType::u8:
    case DataType::boolean:
      return fill_with<std::uint8_t>(key, data, count,
                                     [bit](std::uint64_t u) { return static_cast<std::uint8_t>(bit(u)); });
  }
}

void fill(DataType type, std::uint64_t seed, std::string_view name, std::pair<double, double> range, void* data,
          std::uint64_t count) {
  const std::uint64_t key = mix64(seed) ^ fnv1a64(name);
  const auto [least, largest] = range;
  const auto real = [least = least, largest = largest](double v) { return least + (largest - least) * (v + 1) / 2; };
  const auto first = static_cast<std::int64_t>(least);
  const std::uint64_t values = static_cast<std::uint64_t>(static_cast<std::int64_t>(largest) - first) + 1;
  const auto whole = [first, values](std::uint64_t u) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(first) + u % values);
  };
  switch (type) {
    case DataType::f32:
      return fill_with<float>(key, data, count,
                              [&](std::uint64_t u) { return static_cast<float>(real(uniform<24>(u))); });
    case DataType::f16:
      return fill_with<std::uint16_t>(
          key, data, count, [&](std::uint64_t u) { return half_from_float(static_cast<float>(real(uniform<11>(u)))); });
    case DataType::bf16:
      return fill_with<std::uint16_t>(key, data, count, [&](std::uint64_t u) {
        return bfloat_from_float(static_cast<float>(real(uniform<8>(u))));
      });
    case DataType::f64:
      return fill_with<double>(key, data, count, [&](std::uint64_t u) { return real(uniform<53>(u)); });
    case DataType::i64:
      return fill_with<std::int64_t>(key, data, count, whole);
    case DataType::i32:
      return fill_with<std::int32_t>(key, data, count,
                                     [&](std::uint64_t u) { return static_cast<std::int32_t>(whole(u)); });
    case DataType::i8:
    case DataType::u8:
    case DataType::boolean:
      return fill_with<std::uint8_t>(key, data, count,
                                     [&](std::uint64_t u) { return static_cast<std::uint8_t>(whole(u)); });
  }
}

std::vector<ngb_tensor> describe(const std::vector<TensorSignature>& signatures) {
  std::vector<ngb_tensor> tensors;
  tensors.reserve(signatures.size());
  for (const TensorSignature& signature : signatures) {
    tensors.push_back({signature.name.c_str(), static_cast<ngb_dtype>(signature.type),
                       static_cast<std::int32_t>(signature.shape.size()), signature.shape.data(), nullptr,
                       signature.element_count() * size_bytes(signature.type)});
  }
  return tensors;
}

Status Inputs::put(const std::vector<work::InputValues>& all, const std::vector<work::UserFile>& files, int batch,
                   std::uint64_t seed, std::uint64_t run) {
  for (std::size_t i = 0; i < signatures_->size(); ++i) {
    const TensorSignature& input = (*signatures_)[i];
    const work::InputValues* const values = work::values_of(all, input.name);
    if (values == nullptr) continue;
    void* const data = buffers_[i].get();
    if (values->range) {
      if (const Status fits = userfiles::check_range(*values, input); !fits) return fits;
      if (values->counts)
        count_up(input, static_cast<std::int64_t>(values->range->first), data);
      else
        fill(input.type, seed, input.name, *values->range, data, input.element_count());
      continue;
    }
    const work::UserFile* const file = work::file_called(files, values->file);
    if (file == nullptr) return fail("its file was not delivered with the job", "input \"" + input.name + "\"");
    Result<userfiles::Array> array = userfiles::fitting_array(*values, file->path, input, batch);
    if (!array) return error_of(array);
    const std::uint64_t bytes = input.element_count() * size_bytes(input.type);
    array->offset_bytes += run * bytes;
    if (const Status read = userfiles::read_array(file->path, *array, data, bytes); !read) return read;
  }
  return Done{};
}

std::vector<std::size_t> places_of(const std::vector<std::string>& ours, const std::vector<std::string>& theirs) {
  std::vector<std::size_t> by_order(ours.size());
  std::iota(by_order.begin(), by_order.end(), std::size_t{0});
  std::vector<std::size_t> by_name;
  for (const std::string& name : ours) {
    const auto found = std::find(theirs.begin(), theirs.end(), name);
    if (found == theirs.end() || std::count(ours.begin(), ours.end(), name) != 1) return by_order;
    by_name.push_back(static_cast<std::size_t>(found - theirs.begin()));
  }
  return by_name;
}

Result<Inputs> Inputs::converted_to(const std::vector<TensorSignature>& signatures) const {
  if (signatures.size() != signatures_->size()) {
    return fail(fmt::format("{} inputs, the exact model has {}", signatures.size(), signatures_->size()));
  }
  Result<Inputs> converted = make(signatures, 0);
  if (!converted) return converted;
  std::vector<std::string> ours;
  std::vector<std::string> theirs;
  for (const TensorSignature& each : signatures) ours.push_back(each.name);
  for (const TensorSignature& each : *signatures_) theirs.push_back(each.name);
  const std::vector<std::size_t> places = places_of(ours, theirs);
  for (std::size_t i = 0; i < signatures.size(); ++i) {
    const TensorSignature& to = signatures[i];
    const TensorSignature& from = (*signatures_)[places[i]];
    const bool is_convertible = to.type == from.type || (is_floating(to.type) && is_floating(from.type));
    if (to.shape != from.shape || !is_convertible) {
      return fail(fmt::format("input \"{}\" is {} [{}], the exact model's \"{}\" is {} [{}]", to.name, name(to.type),
                              fmt::join(to.shape, ", "), from.name, name(from.type), fmt::join(from.shape, ", ")));
    }
    convert(from.type, buffers_[places[i]].get(), to.type, converted->buffers_[i].get(), to.element_count());
  }
  return converted;
}

namespace {

// Copies the elements to the beginning of each axis of a larger tensor, whose others become 0.
void pad(const TensorSignature& from, const void* elements, const TensorSignature& to, void* padded) {
  const std::size_t bytes = size_bytes(to.type);
  std::memset(padded, 0, to.element_count() * bytes);
  for (std::uint64_t i = 0; i < from.element_count(); ++i) {
    std::uint64_t place = 0;
    std::uint64_t stride = 1;
    std::uint64_t rest = i;
    for (std::size_t axis = to.shape.size(); axis-- > 0;) {
      const auto extent = static_cast<std::uint64_t>(from.shape[axis]);
      place += rest % extent * stride;
      rest /= extent;
      stride *= static_cast<std::uint64_t>(to.shape[axis]);
    }
    std::memcpy(static_cast<char*>(padded) + place * bytes, static_cast<const char*>(elements) + i * bytes, bytes);
  }
}

}  // namespace

Result<Inputs> Inputs::padded_to(const std::vector<TensorSignature>& signatures) const {
  Result<Inputs> padded = make(signatures, 0);
  if (!padded) return padded;
  for (std::size_t i = 0; i < signatures.size(); ++i) {
    const std::vector<std::int64_t>& to = signatures[i].shape;
    const std::vector<std::int64_t>& from = (*signatures_)[i].shape;
    if (!std::equal(from.begin(), from.end(), to.begin(), to.end(), std::less_equal<>())) {
      return fail(fmt::format("input \"{}\" of [{}] cannot be padded to [{}]", signatures[i].name,
                              fmt::join(from, ", "), fmt::join(to, ", ")));
    }
    pad((*signatures_)[i], buffers_[i].get(), signatures[i], padded->buffers_[i].get());
  }
  return padded;
}

bool Inputs::nudge(std::uint64_t seed) {
  bool has_any = false;
  for (std::size_t i = 0; i < signatures_->size(); ++i) {
    const TensorSignature& input = (*signatures_)[i];
    const std::uint64_t key = mix64(seed) ^ fnv1a64(input.name);
    if (input.type == DataType::f32) nudge_all<float>(key, buffers_[i].get(), input.element_count());
    if (input.type == DataType::f64) nudge_all<double>(key, buffers_[i].get(), input.element_count());
    has_any = has_any || input.type == DataType::f32 || input.type == DataType::f64;
  }
  return has_any;
}

Result<Inputs> Inputs::make(const std::vector<TensorSignature>& signatures, std::uint64_t seed) {
  Inputs inputs;
  inputs.signatures_ = std::make_unique<std::vector<TensorSignature>>(signatures);
  for (const TensorSignature& signature : signatures) {
    const Result<std::uint64_t> bytes = count_bytes(signature);
    if (!bytes) return error_of(bytes);
    const std::uint64_t rounded = (*bytes / kAlignment + 1) * kAlignment;
    inputs.buffers_.emplace_back(std::aligned_alloc(kAlignment, rounded));
    if (inputs.buffers_.back() == nullptr) {
      return fail(fmt::format("no memory for {} bytes of input \"{}\"", *bytes, signature.name));
    }
    fill(signature.type, seed, signature.name, inputs.buffers_.back().get(), signature.element_count());
  }
  inputs.tensors_ = describe(*inputs.signatures_);
  for (std::size_t i = 0; i < inputs.tensors_.size(); ++i) inputs.tensors_[i].data = inputs.buffers_[i].get();
  return inputs;
}

}  // namespace ngb::worker
