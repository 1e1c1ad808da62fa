// SPDX-License-Identifier: Apache-2.0
// Names, element types and shapes of a model's inputs and outputs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ngb {

// Values equal ngb_dtype in include/ngraphbench/compiler.h.
enum class DataType { f32 = 1, f16 = 2, bf16 = 3, f64 = 4, i64 = 5, i32 = 6, i8 = 7, u8 = 8, boolean = 9 };

// "f32", "bf16", "i64", "bool", …
std::string_view name(DataType type);
Result<DataType> parse_data_type(std::string_view name);
std::size_t size_bytes(DataType type);

// In a shape that a study gives: as many as there are samples in a batch.
inline constexpr std::int64_t kBatchExtent = 0;
// In a shape that a compiler compiles for: any number of samples.
inline constexpr std::int64_t kOpenExtent = -1;

struct TensorSignature {
  std::string name{};
  DataType type = DataType::f32;
  std::vector<std::int64_t> shape{};  // row-major, batch first; empty for a scalar
  bool operator==(const TensorSignature&) const = default;

  [[nodiscard]] std::uint64_t element_count() const;
};

}  // namespace ngb
