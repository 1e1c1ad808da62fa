// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace ngb {

// An .npy of version 1.0.
inline std::string npy(const std::string& type, const std::string& shape, const std::string& values,
                       const std::string& is_by_column = "False") {
  std::string header = "{'descr': '" + type + "', 'fortran_order': " + is_by_column + ", 'shape': " + shape + ", }";
  header.resize(118 - 1, ' ');
  header += '\n';
  return std::string("\x93NUMPY\1\0", 8) + static_cast<char>(header.size()) + '\0' + header + values;
}

// Empty, and this process's own.
inline std::filesystem::path fresh_folder() {
  std::string pattern = std::filesystem::temp_directory_path() / "ngb-test-XXXXXX";
  return ::mkdtemp(pattern.data());
}

}  // namespace ngb
