// SPDX-License-Identifier: Apache-2.0
// Arrays in NumPy's files: one in an .npy, several by name in an .npz. Values are not converted, only found.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/tensor.h"

namespace ngb::numpy {

struct Array {
  DataType type = DataType::f32;
  std::vector<std::int64_t> shape{};
  std::uint64_t offset_bytes = 0;  // in the file: of its first value; all follow, row by row

  [[nodiscard]] std::uint64_t size_bytes() const;
};

// `name`: of an array in an .npz; in an .npy there is only one, whatever it is called. Error: not readable, neither
// .npy nor .npz, compressed, no such array (with those that there are), an element type that cannot be fed, big-endian
// or column by column, truncated.
Result<Array> find_array(const std::filesystem::path& path, const std::string& name);

// The array's first `size_bytes` bytes into `into`, which holds as many. Error: not readable, or fewer are there.
Status read_array(const std::filesystem::path& path, const Array& array, void* into, std::uint64_t size_bytes);

}  // namespace ngb::numpy
