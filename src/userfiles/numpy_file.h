// SPDX-License-Identifier: Apache-2.0
// Finds arrays in NumPy's files: one in an .npy, several by name in an .npz. Values are not converted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/tensor.h"

namespace ngb::userfiles {

struct Array {
  DataType type = DataType::f32;
  std::vector<std::int64_t> shape{};
  std::uint64_t offset_bytes = 0;  // in the file, of the first value; the others follow row by row

  [[nodiscard]] std::uint64_t size_bytes() const;
};

// Finds the array `name` of an .npz; the array of an .npy is found under any name. Fails if the file is not readable,
// truncated, or neither .npy nor .npz; if it has no such array (the error lists those that it has); or if the array is
// compressed, big-endian, stored column by column, or of an element type that cannot be fed.
Result<Array> find_array(const std::filesystem::path& path, const std::string& name);

// Reads the array's first `size_bytes` bytes into `into`, which has room for them. Fails if they cannot be read.
Status read_array(const std::filesystem::path& path, const Array& array, void* into, std::uint64_t size_bytes);

}  // namespace ngb::userfiles
