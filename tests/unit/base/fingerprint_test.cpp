// SPDX-License-Identifier: Apache-2.0
#include "base/fingerprint.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/hash.h"
#include "temporary_folder.h"

namespace ngb {
namespace {

class Watched : public testing::Test {
 protected:
  void write(const std::string& content) { ASSERT_TRUE(file::write_atomically(path_, content)); }
  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "model.onnx";
  WatchedFiles files_{};
};

TEST_F(Watched, AFileHasChangedIfItsContentHas) {
  write("first");
  EXPECT_EQ(files_.add(path_).value(), hash::sha256("first"));
  EXPECT_FALSE(files_.has_changed(path_));
  write("other");
  EXPECT_TRUE(files_.has_changed(path_));
  EXPECT_EQ(files_.changed(), path_);
  write("first");
  EXPECT_FALSE(files_.has_changed(path_)) << "it is as it was";
}

TEST_F(Watched, AFileThatIsRemovedHasChanged) {
  write("first");
  ASSERT_TRUE(files_.add(path_));
  std::filesystem::remove(path_);
  EXPECT_TRUE(files_.has_changed(path_));
}

TEST_F(Watched, ARestoredModificationTimeHidesNoChange) {
  write("first");
  ASSERT_TRUE(files_.add(path_));
  const auto time = std::filesystem::last_write_time(path_);
  write("other");
  std::filesystem::last_write_time(path_, time);
  EXPECT_TRUE(files_.has_changed(path_));
}

TEST_F(Watched, AFileThatIsAddedAgainIsWatchedWithItsNewContent) {
  write("first");
  ASSERT_TRUE(files_.add(path_));
  write("other");
  EXPECT_EQ(files_.add(path_).value(), hash::sha256("other"));
  EXPECT_FALSE(files_.has_changed(path_));
}

}  // namespace
}  // namespace ngb
