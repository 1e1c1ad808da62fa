// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ngb::userfiles {

// An .npy of version 1.0.
inline std::string npy(const std::string& type, const std::string& shape, const std::string& values,
                       const std::string& is_by_column = "False") {
  std::string header = "{'descr': '" + type + "', 'fortran_order': " + is_by_column + ", 'shape': " + shape + ", }";
  header.resize(118 - 1, ' ');
  header += '\n';
  return std::string("\x93NUMPY\1\0", 8) + static_cast<char>(header.size()) + '\0' + header + values;
}

}  // namespace ngb::userfiles
