// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "base/hash.h"
#include "temporary_folder.h"

namespace ngb::file {
namespace {

TEST(WriteAtomically, ReplacesTheContentAndLeavesNothingElse) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_atomically(folder / "a", "old"));
  ASSERT_TRUE(write_atomically(folder / "a", "new"));
  EXPECT_EQ(*read(folder / "a"), "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(WriteAtomically, SaysWhichFileCannotBeWrittenAndWhy) {
  const auto written = write_atomically("/nonexistent/folder/file", "x");
  EXPECT_EQ(written.error().text(), "/nonexistent/folder/file: cannot write: No such file or directory");
}

TEST(Read, RefusesAFileBeyondTheLimit) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_atomically(folder / "big", std::string(100, 'x')));
  EXPECT_EQ(read(folder / "big", 99).error().what, "larger than 99 bytes");
  EXPECT_EQ(read(folder / "big", 100)->size(), 100U);
}

TEST(Read, RefusesAFolder) { EXPECT_EQ(read("/").error().text(), "/: cannot read: Is a directory"); }

TEST(WriteAll, SaysWhatToDoWhenTheDiskIsFull) {
  const FileDescriptor full(::open("/dev/full", 1));
  const auto written = write_all(full.get(), "x", "results.db");
  EXPECT_EQ(written.error().text(),
            "results.db: cannot write: No space left on device; free some space and run the same command again");
}

TEST(Sha256OfFile, EqualsThatOfItsContent) {
  const TemporaryFolder folder;
  const std::string content(3'000'000, 'n');
  ASSERT_TRUE(write_atomically(folder / "f", content));
  EXPECT_EQ(*hash::sha256_of_file(folder / "f"), hash::sha256(content));
}

}  // namespace
}  // namespace ngb::file
