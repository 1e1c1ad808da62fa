// SPDX-License-Identifier: Apache-2.0
// Converts single elements of tensors of every type to and from numbers.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/tensor.h"

namespace ngb::worker {

// Converts IEEE 754 binary16 and bfloat16 (a float's upper half) exactly.
float float_from_half(std::uint16_t bits);
float float_from_bfloat(std::uint16_t bits);

// Rounds to the nearest half, ties to even.
std::uint16_t half_from_float(float value);
std::uint16_t bfloat_from_float(float value);

inline bool is_floating(DataType type) {
  return type == DataType::f32 || type == DataType::f16 || type == DataType::bf16 || type == DataType::f64;
}

// Calls `use` with a function index -> double that reads dense data of `type` (any alignment). The type is examined
// once per tensor, not once per element. A double cannot hold all integers of 64 bits.
template <class Use>
auto with_reader(DataType type, const void* data, Use&& use) {
  const auto at = [data]<class T>(std::uint64_t index) {
    T value;
    std::memcpy(&value, static_cast<const char*>(data) + index * sizeof(T), sizeof(T));
    return value;
  };
  const auto plain = [&]<class T>(T) {
    return use([&](std::uint64_t i) { return static_cast<double>(at.template operator()<T>(i)); });
  };
  switch (type) {
    case DataType::f16:
      return use([&](std::uint64_t i) {
        return static_cast<double>(float_from_half(at.template operator()<std::uint16_t>(i)));
      });
    case DataType::bf16:
      return use([&](std::uint64_t i) {
        return static_cast<double>(float_from_bfloat(at.template operator()<std::uint16_t>(i)));
      });
    case DataType::f64:
      return plain(double{});
    case DataType::i64:
      return plain(std::int64_t{});
    case DataType::i32:
      return plain(std::int32_t{});
    case DataType::i8:
      return plain(std::int8_t{});
    case DataType::u8:
    case DataType::boolean:
      return plain(std::uint8_t{});
    case DataType::f32:
      break;
  }
  return plain(float{});
}

}  // namespace ngb::worker
