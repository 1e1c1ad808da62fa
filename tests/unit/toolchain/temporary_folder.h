// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/file.h"

namespace ngb::toolchain {

class InTemporaryFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "ngb-toolchain-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void put(const std::filesystem::path& relative, std::string_view content) {
    std::filesystem::create_directories((folder_ / relative).parent_path());
    ASSERT_TRUE(file::write_atomically(folder_ / relative, content));
  }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

}  // namespace ngb::toolchain
