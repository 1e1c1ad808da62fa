// SPDX-License-Identifier: Apache-2.0
#include "base/file_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/hash.h"
#include "temporary_folder.h"

namespace ngb::file_list {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

class FileList : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.write("site/a.py", "first");
    folder_.write("site/deep/b.so", "library");
    ASSERT_TRUE(write(folder()));
  }
  // Gives the file a new content and its old time, as a program that hides a change would.
  void replace(const fs::path& name, std::string_view content, bool keeps_time) {
    const fs::file_time_type before = fs::last_write_time(folder() / name);
    folder_.write(name, content);
    fs::last_write_time(folder() / name, keeps_time ? before : before + std::chrono::hours(1));
  }
  [[nodiscard]] std::map<std::string, std::string> changed(Check check = Check::sizes) const {
    return changes(folder(), check).value();
  }
  [[nodiscard]] std::string list() const { return file::read(folder() / kName).value(); }
  [[nodiscard]] const fs::path& folder() const { return folder_.path(); }

  TemporaryFolder folder_;
};

TEST_F(FileList, OfUntouchedFilesTellsNoChange) {
  EXPECT_THAT(changed(), IsEmpty());
  EXPECT_THAT(changed(Check::hashes), IsEmpty());
  EXPECT_TRUE(is_whole(folder(), Check::hashes));
}

TEST_F(FileList, TellsWhatHasAnotherContentIsGoneOrWasAdded) {
  replace("site/a.py", "other", false);
  fs::remove(folder() / "site/deep/b.so");
  folder_.write("site/c.py", "new");
  EXPECT_THAT(changed(), ElementsAre(Pair("site/a.py", hash::sha256("other")), Pair("site/c.py", hash::sha256("new")),
                                     Pair("site/deep/b.so", "")));
  EXPECT_FALSE(is_whole(folder(), Check::sizes));
}

TEST_F(FileList, TellsOfALostLastByteByTheSizeAlone) {
  replace("site/a.py", "firs", true);
  EXPECT_THAT(changed(), ElementsAre(Pair("site/a.py", hash::sha256("firs"))));
  EXPECT_FALSE(is_whole(folder(), Check::sizes));
}

TEST_F(FileList, ReadsAllFilesOnlyIfHashesAreAskedFor) {
  replace("site/a.py", "FIRST", true);
  EXPECT_THAT(changed(), IsEmpty()) << "size and time are as before";
  EXPECT_THAT(changed(Check::hashes), ElementsAre(Pair("site/a.py", hash::sha256("FIRST"))));
  EXPECT_TRUE(is_whole(folder(), Check::sizes));
  EXPECT_FALSE(is_whole(folder(), Check::hashes));
}

TEST_F(FileList, LearnsTheTimesOfFilesThatWereCopied) {
  const std::string before = list();
  replace("site/a.py", "first", false);
  EXPECT_THAT(changed(), IsEmpty());
  EXPECT_NE(list(), before);
  replace("site/a.py", "FIRST", true);
  EXPECT_THAT(changed(), IsEmpty()) << "the file would be read if the list had not learned its time";
}

TEST_F(FileList, KeepsItsTimesWhileAFileDiffers) {
  const std::string before = list();
  replace("site/a.py", "other", false);
  EXPECT_EQ(changed().size(), 1U);
  EXPECT_EQ(list(), before);
}

TEST_F(FileList, LeavesOutPythonsCaches) {
  folder_.write("site/__pycache__/a.cpython-311.pyc", "bytecode");
  EXPECT_THAT(changed(), IsEmpty());
}

TEST_F(FileList, FollowsLinksAndEndsInALoopOfThem) {
  folder_.write("elsewhere/linked.py", "x");
  fs::create_directory_symlink(folder() / "elsewhere", folder() / "site/link");
  fs::create_directory_symlink(folder(), folder() / "site/loop");
  EXPECT_EQ(changed().at("site/link/linked.py"), hash::sha256("x"));
}

TEST_F(FileList, OfAnEarlierVersionHasNoTimesAndPathsThatLeaveTheFolderAreRefused) {
  ASSERT_TRUE(file::write_atomically(
      folder() / kName, "[[\"site/a.py\",5,\"" + hash::sha256("first") + "\"],[\"site/deep/b.so\",7,\"\"]]\n"));
  EXPECT_TRUE(is_whole(folder(), Check::hashes));
  EXPECT_THAT(changed(), IsEmpty());
  for (const char* const path : {"../secret", "/etc/hostname", "site/../../secret"}) {
    ASSERT_TRUE(file::write_atomically(folder() / kName, "[[\"" + std::string(path) + "\",5,\"\"]]"));
    EXPECT_FALSE(is_whole(folder(), Check::sizes)) << path;
    EXPECT_FALSE(changes(folder())) << path;
  }
}

TEST_F(FileList, ThatIsMissingOrNoListIsAnError) {
  for (const char* const text : {"", "{", "[1]", "[[\"a\"]]"}) {
    ASSERT_TRUE(file::write_atomically(folder() / kName, text));
    EXPECT_FALSE(is_whole(folder(), Check::sizes)) << text;
    EXPECT_FALSE(changes(folder())) << text;
  }
  fs::remove(folder() / kName);
  EXPECT_FALSE(is_there(folder()));
  EXPECT_FALSE(is_whole(folder(), Check::sizes));
  EXPECT_FALSE(changes(folder()));
}

TEST(CopiedFile, HasTheHashThatIsReturnedAndReplacesNothing) {
  const TemporaryFolder folder;
  const fs::path from = folder.write("from", std::string(3 << 20U, 'x'));
  const std::string hash = hash::copy_file(from, folder / "to").value();
  EXPECT_EQ(hash, hash::sha256_of_file(folder / "to").value());
  EXPECT_EQ(fs::file_size(folder / "to"), 3U << 20U);
  folder.write("theirs", "theirs");
  EXPECT_FALSE(hash::copy_file(from, folder / "theirs"));
  EXPECT_EQ(file::read(folder / "theirs").value(), "theirs");
  EXPECT_FALSE(hash::copy_file(folder / "none", folder / "copy"));
}

}  // namespace
}  // namespace ngb::file_list
