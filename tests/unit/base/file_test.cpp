// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "temporary_folder.h"

namespace ngb::file {
namespace {

TEST(Read, RefusesAFileThatIsTooLargeBeforeAllocatingMemory) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_atomically(folder / "sparse", ""));
  std::filesystem::resize_file(folder / "sparse", 1ULL << 42U);
  const auto refused = read(folder / "sparse");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, testing::StartsWith("larger than"));
}

TEST(WriteAtomically, ReplacesTheContentAndLeavesNoOtherFile) {
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

TEST(PartialPath, IsNewEachTimeAndNamesHostAndProcess) {
  const std::string first = partial_path("folder/name.txt");
  EXPECT_NE(first, partial_path("folder/name.txt").string());
  EXPECT_THAT(first,
              testing::MatchesRegex("folder/name.txt\\.[^./]+-" + std::to_string(::getpid()) + "-[0-9]+\\.partial"));
}

TEST(RemoveOldPartials, RemovesOnlyWhatKilledProgramsLeftMoreThanADayAgo) {
  const TemporaryFolder folder;
  const auto make = [&](const std::string& name, int hours_old) {
    ASSERT_TRUE(write_atomically(folder / name, "x"));
    std::filesystem::last_write_time(folder / name,
                                     std::filesystem::file_time_type::clock::now() - std::chrono::hours(hours_old));
  };
  make("study.json", 25);
  make("study.json.host-71-1.partial", 25);
  make("study.json.host-71-2.partial", 1);
  make("study.json.mine.partial", 25);
  make("study.json.old.host-71-1.partial", 25);
  make("other.json.host-71-1.partial", 25);
  remove_old_partials(folder / "study.json");
  EXPECT_FALSE(std::filesystem::exists(folder / "study.json.host-71-1.partial"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 5);
}

TEST(Read, RefusesAFileBeyondTheLimit) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_atomically(folder / "big", std::string(100, 'x')));
  EXPECT_EQ(read(folder / "big", 99).error().what, "larger than 99 bytes");
  EXPECT_EQ(read(folder / "big", 100)->size(), 100U);
}

TEST(Read, RefusesAFolder) { EXPECT_EQ(read("/").error().text(), "/: cannot read: Is a directory"); }

TEST(Read, RefusesAFifoAndADeviceAtOnceAndNamesThem) {
  const TemporaryFolder folder;
  const std::filesystem::path fifo = folder / "pipe";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(read(fifo).error().text(), fifo.string() + ": cannot read: a FIFO, not a file; name a regular file");
  EXPECT_EQ(read("/dev/zero").error().text(), "/dev/zero: cannot read: a device, not a file; name a regular file");
}

TEST(Sha256OfFile, RefusesAFifoAndADeviceAtOnceAndNamesThem) {
  const TemporaryFolder folder;
  const std::filesystem::path fifo = folder / "pipe";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(hash::sha256_of_file(fifo).error().where, fifo.string());
  EXPECT_EQ(hash::sha256_of_file("/dev/zero").error().text(),
            "/dev/zero: cannot read: a device, not a file; name a regular file");
}

TEST(WriteAll, SaysWhatToDoWhenTheDiskIsFull) {
  const FileDescriptor full(::open("/dev/full", 1));
  const auto written = write_all(full.get(), "x", "results.db");
  EXPECT_EQ(written.error().text(),
            "results.db: cannot write: No space left on device; free some space and run the same command again");
}

TEST(WriteNew, LeavesWhatIsThereAlone) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_new(folder / "f", "first"));
  const Status second = write_new(folder / "f", "second");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().where, (folder / "f").string());
  EXPECT_EQ(*read(folder / "f"), "first");
  ASSERT_TRUE(write_atomically(folder / "made", "third"));
  EXPECT_FALSE(put_in_new_place(folder / "made", folder / "f"));
  EXPECT_EQ(*read(folder / "f"), "first");
}

TEST(Sha256OfFile, EqualsThatOfItsContent) {
  const TemporaryFolder folder;
  const std::string content(3'000'000, 'n');
  ASSERT_TRUE(write_atomically(folder / "f", content));
  EXPECT_EQ(*hash::sha256_of_file(folder / "f"), hash::sha256(content));
}

}  // namespace
}  // namespace ngb::file
