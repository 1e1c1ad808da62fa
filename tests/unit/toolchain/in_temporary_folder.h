// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string_view>

#include "temporary_folder.h"

namespace ngb::toolchain {

class InTemporaryFolder : public ::testing::Test {
 protected:
  void put(const std::filesystem::path& name, std::string_view content) { folder_.write(name, content); }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

}  // namespace ngb::toolchain
