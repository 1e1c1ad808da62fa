// SPDX-License-Identifier: Apache-2.0
#include "base/removal.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "base/file.h"
#include "temporary_folder.h"

namespace ngb::file {
namespace {

TEST(RemoveAll, RemovesALinkAndNotWhatItLeadsTo) {
  const TemporaryFolder folder;
  ASSERT_TRUE(make_folder(folder / "theirs"));
  ASSERT_TRUE(make_folder(folder / "ours/below"));
  ASSERT_TRUE(write_atomically(folder / "theirs/thesis", "x"));
  std::filesystem::create_directory_symlink(folder / "theirs", folder / "ours/below/link");
  EXPECT_TRUE(file::remove_all(folder / "ours"));
  EXPECT_FALSE(std::filesystem::exists(folder / "ours"));
  EXPECT_EQ(*read(folder / "theirs/thesis"), "x");
  EXPECT_TRUE(file::remove_all(folder / "ours")) << "it is gone already";
}

TEST(RemoveAll, RefusesAPathWithoutANameOfItsOwn) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_atomically(folder / "kept", "x"));
  for (const std::filesystem::path& path :
       {folder / ".", folder / "", folder / "none" / "..", std::filesystem::path()}) {
    EXPECT_FALSE(file::remove_all(path)) << path;
    EXPECT_EQ(errno, EINVAL) << path;
  }
  EXPECT_EQ(*read(folder / "kept"), "x");
}

TEST(Remove, LeavesAFolderThatIsNotEmptyAndSaysWhy) {
  const TemporaryFolder folder;
  ASSERT_TRUE(make_folder(folder / "full"));
  ASSERT_TRUE(write_atomically(folder / "full/file", "x"));
  EXPECT_FALSE(file::remove(folder / "full"));
  EXPECT_EQ(errno, ENOTEMPTY);
  EXPECT_TRUE(file::remove(folder / "full/file"));
  EXPECT_TRUE(file::remove(folder / "full"));
  EXPECT_TRUE(file::remove(folder / "full")) << "it is gone already";
}

}  // namespace
}  // namespace ngb::file
