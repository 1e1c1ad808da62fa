// SPDX-License-Identifier: Apache-2.0
// A folder that stands for "/", with the /proc and /sys files that a test writes into it.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/file.h"

namespace ngb::probe {

class MadeUpMachine : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "ngb-machine-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void put(std::string_view path, std::string_view content) {
    const std::filesystem::path file = root_.string() + std::string(path);
    std::filesystem::create_directories(file.parent_path());
    ASSERT_TRUE(file::write_atomically(file, content));
  }
  [[nodiscard]] std::string root() const { return root_.string(); }

 private:
  std::filesystem::path root_;
};

}  // namespace ngb::probe
