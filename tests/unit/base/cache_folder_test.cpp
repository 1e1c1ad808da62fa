// SPDX-License-Identifier: Apache-2.0
#include "base/cache_folder.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>

#include "base/file.h"
#include "temporary_folder.h"

namespace ngb {
namespace {

namespace fs = std::filesystem;

mode_t mode_of(const fs::path& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : 0;
}

class Cache : public ::testing::Test {
 protected:
  // Keeps a folder with the file "made".
  Status keep(const fs::path& name, std::string_view content) const {
    const auto scratch = cache_.make_scratch(name);
    if (!scratch) return error_of(scratch);
    if (Status written = file::write_atomically(scratch->path() / "made", content); !written) return written;
    return cache_.keep(scratch->path(), name);
  }

  TemporaryFolder folder_;
  CacheFolder cache_{folder_ / "above/cache"};
};

TEST_F(Cache, IsMadeForItsUserAloneWhateverTheUmaskSays) {
  const mode_t before = ::umask(0);
  EXPECT_TRUE(keep("prepared/ab", "content"));
  EXPECT_TRUE(cache_.keep_text("calibrations/ab.json", "{}"));
  ::umask(before);
  for (const char* const each :
       {"above", "above/cache", "above/cache/prepared", "above/cache/prepared/ab", "above/cache/calibrations"}) {
    EXPECT_EQ(mode_of(folder_ / each), 0700U) << each;
  }
  EXPECT_TRUE(cache_.is_only_ours());
}

TEST_F(Cache, HasWhatWasKeptInIt) {
  EXPECT_FALSE(cache_.find("prepared/ab"));
  ASSERT_TRUE(keep("prepared/ab", "content"));
  ASSERT_TRUE(cache_.keep_text("calibrations/ab.json", "two\nlines"));
  EXPECT_EQ(cache_.find("prepared/ab"), folder_ / "above/cache/prepared/ab");
  EXPECT_EQ(file::read(*cache_.find("prepared/ab") / "made").value(), "content");
  EXPECT_EQ(cache_.find_text("calibrations/ab.json"), "two\nlines");
}

TEST_F(Cache, HasNothingThatIsNotByteForByteWhatWasKept) {
  ASSERT_TRUE(keep("prepared/ab", "content"));
  ASSERT_TRUE(cache_.keep_text("text", "kept"));
  for (const char* const other : {"", "CONTENT", "content and more"}) {
    folder_.write("above/cache/prepared/ab/made", other);
    EXPECT_FALSE(cache_.find("prepared/ab")) << other;
  }
  fs::remove(folder_ / "above/cache/prepared/ab/made");
  EXPECT_FALSE(cache_.find("prepared/ab"));
  const std::string text = file::read(folder_ / "above/cache/text").value();
  for (const std::string& other : {std::string(), std::string("kept"), text + "!", text.substr(1)}) {
    folder_.write("above/cache/text", other);
    EXPECT_FALSE(cache_.find_text("text")) << other;
  }
}

TEST_F(Cache, KeepsANewOneInThePlaceOfADamagedOne) {
  ASSERT_TRUE(keep("prepared/ab", "first"));
  folder_.write("above/cache/prepared/ab/made", "damaged");
  ASSERT_TRUE(keep("prepared/ab", "second"));
  EXPECT_EQ(file::read(*cache_.find("prepared/ab") / "made").value(), "second");
  ASSERT_TRUE(keep("prepared/ab", "third")) << "another process has kept it";
  EXPECT_EQ(file::read(*cache_.find("prepared/ab") / "made").value(), "second");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "above/cache/prepared"), fs::directory_iterator()), 1);
}

TEST_F(Cache, ThatIsNoneKeepsAndFindsNothing) {
  const CacheFolder none;
  EXPECT_TRUE(none.is_none());
  EXPECT_FALSE(none.make("prepared"));
  EXPECT_FALSE(none.keep_text("text", "x"));
  EXPECT_FALSE(none.find("."));
  EXPECT_FALSE(none.find_text("text"));
}

TEST_F(Cache, IsNotOursAloneIfOthersMayWriteInItBelowItOrAboveIt) {
  ASSERT_TRUE(keep("prepared/ab", "content"));
  const auto is_ours_with = [&](const fs::path& path, mode_t mode) {
    const mode_t before = mode_of(folder_ / path);
    ::chmod((folder_ / path).c_str(), mode);
    const bool is_ours = cache_.is_only_ours();
    ::chmod((folder_ / path).c_str(), before);
    return is_ours;
  };
  EXPECT_FALSE(is_ours_with("above/cache", 0777));
  EXPECT_FALSE(is_ours_with("above/cache", 0770));
  EXPECT_TRUE(is_ours_with("above/cache", 0755));
  EXPECT_TRUE(is_ours_with("above/cache/prepared", 0777)) << "nobody can enter the cache";
  ::chmod((folder_ / "above/cache").c_str(), 0755);
  EXPECT_FALSE(is_ours_with("above/cache/prepared", 0777));
  EXPECT_FALSE(is_ours_with("above/cache/prepared", 0775));
  ::chmod((folder_ / "above/cache/prepared").c_str(), 0755);
  EXPECT_FALSE(is_ours_with("above/cache/prepared/ab", 0777));
  EXPECT_FALSE(is_ours_with("above", 0777));
  EXPECT_TRUE(is_ours_with("above", 01777)) << "sticky";
  EXPECT_TRUE(is_ours_with("above", 0755));
}

TEST_F(Cache, IsNotOursAloneIfAGroupMayWriteAboveIt) {
  ASSERT_TRUE(keep("prepared/ab", "content"));
  constexpr gid_t kSomeGroup = 12345;
  if (::chown((folder_ / "above").c_str(), ::geteuid(), kSomeGroup) != 0) GTEST_SKIP() << "needs root";
  ::chmod((folder_ / "above").c_str(), 02775);
  EXPECT_FALSE(cache_.is_only_ours());
  ::chmod((folder_ / "above").c_str(), 02755);
  EXPECT_TRUE(cache_.is_only_ours());
}

class UserFolder : public ::testing::Test {
 protected:
  void TearDown() override {
    for (const char* const name : {"NGB_OWN", "NGB_XDG"}) ::unsetenv(name);
    ::setenv("HOME", home_.c_str(), 1);
  }
  const std::string home_ = ::getenv("HOME") == nullptr ? "" : ::getenv("HOME");
};

TEST_F(UserFolder, IsAbsoluteWhateverTheVariablesSay) {
  ::setenv("HOME", "/home/someone", 1);
  EXPECT_EQ(file::user_folder("NGB_OWN", "NGB_XDG", ".cache"), "/home/someone/.cache/ngraphbench");
  ::setenv("NGB_XDG", "relative", 1);
  EXPECT_EQ(file::user_folder("NGB_OWN", "NGB_XDG", ".cache"), "/home/someone/.cache/ngraphbench") << "as XDG demands";
  ::setenv("NGB_XDG", "/xdg", 1);
  EXPECT_EQ(file::user_folder("NGB_OWN", "NGB_XDG", ".cache"), "/xdg/ngraphbench");
  ::setenv("NGB_OWN", "own", 1);
  EXPECT_EQ(file::user_folder("NGB_OWN", "NGB_XDG", ".cache"), fs::current_path() / "own");
  ::setenv("NGB_OWN", "/own", 1);
  EXPECT_EQ(file::user_folder("NGB_OWN", "NGB_XDG", ".cache"), "/own");
}

TEST_F(UserFolder, IsNoneWithoutAHomeFolder) {
  ::setenv("HOME", "", 1);
  EXPECT_EQ(file::user_folder("NGB_OWN", "NGB_XDG", ".cache"), "");
}

}  // namespace
}  // namespace ngb
