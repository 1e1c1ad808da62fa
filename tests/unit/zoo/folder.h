// SPDX-License-Identifier: Apache-2.0
// Files of one test.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/file.h"
#include "temporary_folder.h"

namespace ngb::zoo {

class Folder : public TemporaryFolder {
 public:
  [[nodiscard]] std::size_t file_count() const {
    const std::filesystem::directory_iterator files(path());
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
  }
};

inline std::string content(const std::filesystem::path& path) {
  const Result<std::string> bytes = file::read(path);
  EXPECT_TRUE(bytes) << bytes.error().text();
  return bytes.value_or("");
}

inline void put(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace ngb::zoo
