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

// A dense tensor as a list of blocks, each of which has all rows along an axis.
struct RowBlocks {
  RowBlocks(const ngb_tensor& tensor, std::int32_t axis)
      : rows(static_cast<std::size_t>(tensor.shape[axis])), row_bytes(table::type_row(tensor.dtype)->size_bytes) {
    for (std::int32_t i = 0; i < tensor.rank; ++i) {
      if (i < axis) count *= static_cast<std::size_t>(tensor.shape[i]);
      if (i > axis) row_bytes *= static_cast<std::size_t>(tensor.shape[i]);
    }
  }
  std::size_t count = 1;
  std::size_t rows;
  std::size_t row_bytes;
};

// The rows of `from` go into `into` along `axis`; the other extents are equal. Both tensors are dense and outlive
// it.
class RowCopy {
 public:
  RowCopy(const ngb_tensor& from, const ngb_tensor& into, std::int32_t axis)
      : from_(from.data),
        into_(into.data),
        blocks_(from, axis),
        capacity_(static_cast<std::size_t>(into.shape[axis])) {}

  // Returns whether the tensors fit each other.
  static bool is_possible(const ngb_tensor& from, const ngb_tensor& into, std::int32_t axis) {
    bool fits = from.dtype == into.dtype && from.rank == into.rank && axis >= 0 && axis < from.rank;
    for (std::int32_t i = 0; fits && i < from.rank; ++i) {
      fits = i == axis ? from.shape[i] <= into.shape[i] : from.shape[i] == into.shape[i];
    }
    return fits;
  }

  // Copies the rows into the larger tensor, the first one to `row`. Precondition: they end within it.
  void copy_to(std::int64_t row) const {
    const char* from = static_cast<const char*>(from_);
    char* into = static_cast<char*>(into_) + static_cast<std::size_t>(row) * blocks_.row_bytes;
    for (std::size_t i = 0; i < blocks_.count; ++i) {
      std::memcpy(into, from, blocks_.rows * blocks_.row_bytes);
      from += blocks_.rows * blocks_.row_bytes;
      into += capacity_ * blocks_.row_bytes;
    }
  }
  [[nodiscard]] std::int64_t rows() const { return static_cast<std::int64_t>(blocks_.rows); }
  [[nodiscard]] std::uint64_t bytes() const { return blocks_.count * blocks_.rows * blocks_.row_bytes; }

 private:
  const void* from_;
  void* into_;
  RowBlocks blocks_;  // of `from`
  std::size_t capacity_;
};

}  // namespace ngb
