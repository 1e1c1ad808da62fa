// SPDX-License-Identifier: Apache-2.0
// Copies the rows that a run returns into the larger tensor that the next run reads. The worker does it for plugins
// without `feed_back`, and plugins do it whose library cannot write there itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ngraphbench/compiler.h"
#include "ngraphbench/tables.h"

namespace ngb {

// The rows of `from` go into `into` along `axis`; the other extents are equal. Both tensors are dense and outlive
// it.
class RowCopy {
 public:
  RowCopy(const ngb_tensor& from, const ngb_tensor& into, std::int32_t axis) : from_(from.data), into_(into.data) {
    row_bytes_ = table::type_row(from.dtype)->size_bytes;
    for (std::int32_t i = 0; i < from.rank; ++i) {
      const auto extent = static_cast<std::size_t>(from.shape[i]);
      if (i < axis) outer_ *= extent;
      if (i > axis) row_bytes_ *= extent;
    }
    rows_ = static_cast<std::size_t>(from.shape[axis]);
    capacity_ = static_cast<std::size_t>(into.shape[axis]);
  }

  // Returns whether the tensors fit each other.
  static bool is_possible(const ngb_tensor& from, const ngb_tensor& into, std::int32_t axis) {
    bool fits = from.dtype == into.dtype && from.rank == into.rank && axis >= 0 && axis < from.rank;
    for (std::int32_t i = 0; fits && i < from.rank; ++i) {
      fits = i == axis ? from.shape[i] <= into.shape[i] : from.shape[i] == into.shape[i];
    }
    return fits;
  }

  // Copies the rows to `row` and those behind it. Precondition: they end within the larger tensor.
  void copy_to(std::int64_t row) const {
    const char* from = static_cast<const char*>(from_);
    char* into = static_cast<char*>(into_) + static_cast<std::size_t>(row) * row_bytes_;
    for (std::size_t i = 0; i < outer_; ++i) {
      std::memcpy(into, from, rows_ * row_bytes_);
      from += rows_ * row_bytes_;
      into += capacity_ * row_bytes_;
    }
  }
  [[nodiscard]] std::int64_t rows() const { return static_cast<std::int64_t>(rows_); }
  [[nodiscard]] std::uint64_t bytes() const { return outer_ * rows_ * row_bytes_; }

 private:
  const void* from_;
  void* into_;
  std::size_t outer_ = 1;
  std::size_t row_bytes_ = 1;
  std::size_t rows_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace ngb
