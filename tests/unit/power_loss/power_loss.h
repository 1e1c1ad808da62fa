// SPDX-License-Identifier: Apache-2.0
// What the tests of power cuts share: a folder, watched work in it, and a check of everything that could be left.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

#include "base/file.h"
#include "power_cut.h"
#include "temporary_folder.h"

namespace ngb::power_loss {

class PowerLoss : public testing::Test {
 protected:
  // In memory, where a sync costs nothing: the watching counts it all the same.
  static void SetUpTestSuite() {
    if (::access("/dev/shm", W_OK) == 0) ::setenv("TMPDIR", "/dev/shm", 1);
  }

  // Cuts the power at every instant of `work`. The test is skipped where programs cannot be watched.
  void cut(const std::function<void()>& work, const Check& check) {
    const Watched watched = watch(folder_.path(), work);
    if (!watched.why_not.empty()) GTEST_SKIP() << watched.why_not;
    ASSERT_EQ(watched.exit_code, 0) << "the work itself failed";
    ASSERT_GT(cut_everywhere(watched, check), 3U);
  }
  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
};

// Ends the watched work, which then counts as failed.
template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().text());
  return *std::move(result);
}

inline std::string content_of(const std::filesystem::path& path) { return file::read(path).value_or("(nothing)"); }

}  // namespace ngb::power_loss
