// SPDX-License-Identifier: Apache-2.0
// Names, element types and shapes of a model's inputs and outputs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/record.h"
#include "base/result.h"
#include "ngraphbench/compiler.h"

namespace ngb {

// NOLINTNEXTLINE(bugprone-macro-parentheses)
#define NGB_NAME(constant, name, number, word, bytes, numpy) name = number,
enum class DataType { NGB_DTYPES(NGB_NAME) };
#undef NGB_NAME

// Returns "f32", "bf16", "i64", "bool", …
std::string_view name(DataType type);
// Returns all names.
std::vector<std::string> data_type_names();
Result<DataType> parse_data_type(std::string_view name);
std::size_t size_bytes(DataType type);

// In a shape that a study gives, this extent is the batch size.
inline constexpr std::int64_t kBatchExtent = 0;
// In a shape for which a compiler compiles, this extent is open: any number.
inline constexpr std::int64_t kOpenExtent = -1;

struct TensorSignature {
  std::string name{};
  DataType type = DataType::f32;
  std::vector<std::int64_t> shape{};  // row-major, batch first; empty for a scalar
  bool operator==(const TensorSignature&) const = default;

  [[nodiscard]] std::uint64_t element_count() const;

  static constexpr auto fields(auto visit) {
    return visit(Field{"name", &TensorSignature::name}, Field{"type", &TensorSignature::type},
                 Field{"shape", &TensorSignature::shape});
  }
};

}  // namespace ngb
