// SPDX-License-Identifier: Apache-2.0
#include "userfiles/input_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ngb::userfiles {
namespace {

template <class T>
std::pair<double, double> limits_of() {
  return {static_cast<double>(std::numeric_limits<T>::lowest()), static_cast<double>(std::numeric_limits<T>::max())};
}

// Returns the smallest and largest value of an integer type, or nothing for a type of real numbers.
std::optional<std::pair<double, double>> integer_limits(DataType type) {
  switch (type) {
    case DataType::i64:
      return limits_of<std::int64_t>();
    case DataType::i32:
      return limits_of<std::int32_t>();
    case DataType::i8:
      return limits_of<std::int8_t>();
    case DataType::u8:
      return limits_of<std::uint8_t>();
    case DataType::boolean:
      return std::pair(0.0, 1.0);
    default:
      return std::nullopt;
  }
}

std::string place(const TensorSignature& input, const std::string& path) {
  return fmt::format("input \"{}\": {}", input.name, path);
}

}  // namespace

Result<Array> fitting_array(const work::InputValues& values, const std::string& path, const TensorSignature& input,
                            int batch) {
  Result<Array> array = find_array(path, values.array.empty() ? input.name : values.array);
  if (!array) return tl::unexpected(Error{array.error().what, place(input, array.error().where), array.error().next});
  if (array->type != input.type) {
    return fail(fmt::format("holds {}, the input is {}", name(array->type), name(input.type)), place(input, path),
                "convert it before it is saved");
  }
  const bool is_batched = !input.shape.empty() && input.shape.front() == batch && !array->shape.empty();
  std::vector<std::int64_t> used = array->shape;
  if (is_batched && used.front() > batch) used.front() = batch;
  if (used == input.shape) return array;
  if (is_batched && used.size() == input.shape.size() && used.front() < batch &&
      std::equal(used.begin() + 1, used.end(), input.shape.begin() + 1)) {
    return fail(fmt::format("holds {} samples, the batch is {}", used.front(), batch), place(input, path),
                "save as many as the largest batch size; smaller batches use the first ones");
  }
  return fail(fmt::format("has the shape [{}], the input has [{}]", fmt::join(array->shape, ", "),
                          fmt::join(input.shape, ", ")),
              place(input, path));
}

Result<std::uint64_t> batches_in(const work::InputValues& values, const std::string& path, const TensorSignature& input,
                                 int batch) {
  const Result<Array> fitting = fitting_array(values, path, input, batch);
  if (!fitting) return error_of(fitting);
  if (input.shape.empty() || input.shape.front() != batch) return 1;
  const Result<Array> whole = find_array(path, values.array.empty() ? input.name : values.array);
  if (!whole) return error_of(whole);
  return static_cast<std::uint64_t>(whole->shape.front() / batch);
}

Status check_range(const work::InputValues& values, const TensorSignature& input) {
  const std::optional<std::pair<double, double>> limits = integer_limits(input.type);
  if (!values.range || !limits) return Done{};
  for (const double end : {values.range->first, values.range->second}) {
    if (end == std::trunc(end) && end >= limits->first && end <= limits->second) continue;
    return fail(fmt::format("{} is not a value of type {}", end, name(input.type)),
                fmt::format("input \"{}\": range", input.name));
  }
  return Done{};
}

}  // namespace ngb::userfiles
