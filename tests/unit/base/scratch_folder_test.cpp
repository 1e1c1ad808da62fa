// SPDX-License-Identifier: Apache-2.0
#include "base/scratch_folder.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/file.h"
#include "base/partials.h"
#include "temporary_folder.h"

namespace ngb {
namespace {

// A program that has a scratch folder and waits to be killed.
class Program {
 public:
  explicit Program(const std::filesystem::path& beside) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      const auto scratch = ScratchFolder::beside(beside);
      const std::string path = scratch ? scratch->path().string() : "none";
      (void)!::write(ends[1], path.data(), path.size());
      for (;;) ::pause();
    }
    std::array<char, 4096> told{};
    const ssize_t count = ::read(ends[0], told.data(), told.size());
    folder_ = std::string(told.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    ::close(ends[0]);
    ::close(ends[1]);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { kill(); }

  void kill() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  [[nodiscard]] bool has_folder() const { return std::filesystem::is_directory(folder_); }

 private:
  pid_t pid_ = -1;
  std::filesystem::path folder_;
};

TEST(ScratchFolder, RemovesAtOnceWhatKilledProgramsLeftAndNothingOfThoseThatLive) {
  const TemporaryFolder folder;
  Program killed(folder / "made");
  const Program lives(folder / "made");
  const Program another(folder / "other");
  killed.kill();
  ASSERT_TRUE(killed.has_folder());
  const auto scratch = ScratchFolder::beside(folder / "made");
  ASSERT_TRUE(scratch) << scratch.error().text();
  EXPECT_TRUE(std::filesystem::is_directory(scratch->path()));
  EXPECT_FALSE(killed.has_folder());
  EXPECT_TRUE(lives.has_folder());
  EXPECT_TRUE(another.has_folder());
}

TEST(ScratchFolder, LeavesThoseOfOtherHostsAndOtherPartialFoldersADay) {
  const TemporaryFolder folder;
  const std::string ours = file::host_in_partials();
  for (const std::string& host : {std::string("0123456789abcdef-another"), ours, "0123456789abcdef-x" + ours}) {
    std::filesystem::create_directory(folder / ("made." + host + "-71-1.partial"));
  }
  const auto scratch = ScratchFolder::beside(folder / "made");
  ASSERT_TRUE(scratch) << scratch.error().text();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 4);
}

TEST(ScratchFolder, IsRemovedWithWhatItHolds) {
  const TemporaryFolder folder;
  {
    const auto scratch = ScratchFolder::beside(folder / "made");
    ASSERT_TRUE(scratch) << scratch.error().text();
    ASSERT_TRUE(file::write_atomically(scratch->path() / "file", "x"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace ngb
