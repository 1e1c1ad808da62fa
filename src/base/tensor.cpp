// SPDX-License-Identifier: Apache-2.0
#include "base/tensor.h"

#include <fmt/format.h>

#include <array>

namespace ngb {
namespace {

struct Row {
  DataType type;
  std::string_view name;
  std::size_t size_bytes;
};

constexpr std::array<Row, 9> kTypes{{{DataType::f32, "f32", 4},
                                     {DataType::f16, "f16", 2},
                                     {DataType::bf16, "bf16", 2},
                                     {DataType::f64, "f64", 8},
                                     {DataType::i64, "i64", 8},
                                     {DataType::i32, "i32", 4},
                                     {DataType::i8, "i8", 1},
                                     {DataType::u8, "u8", 1},
                                     {DataType::boolean, "bool", 1}}};

const Row& row(DataType type) { return kTypes[static_cast<std::size_t>(type) - 1]; }

}  // namespace

std::string_view name(DataType type) { return row(type).name; }

std::size_t size_bytes(DataType type) { return row(type).size_bytes; }

Result<DataType> parse_data_type(std::string_view name) {
  for (const Row& candidate : kTypes) {
    if (candidate.name == name) return candidate.type;
  }
  return fail(fmt::format("unknown element type \"{}\"", name));
}

std::uint64_t TensorSignature::element_count() const {
  std::uint64_t count = 1;
  for (const std::int64_t extent : shape) count *= static_cast<std::uint64_t>(extent);
  return count;
}

}  // namespace ngb
