// SPDX-License-Identifier: Apache-2.0
// A folder that stands for "/", with the /proc and /sys files that a test writes into it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "temporary_folder.h"

namespace ngb::probe {

class MadeUpMachine : public ::testing::Test {
 protected:
  void put(const std::filesystem::path& path, std::string_view content) { root_.write(path.relative_path(), content); }
  [[nodiscard]] std::string root() const { return root_.path().string(); }

 private:
  TemporaryFolder root_;
};

}  // namespace ngb::probe
