// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/process.h"
#include "base/text.h"

namespace ngb::rooms {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

// Returns the project's files: those that git tracks or does not ignore; without git (in a release archive), all files
// outside build trees.
std::vector<fs::path> own_files() {
  const fs::path source = NGB_SOURCE_DIR;
  std::vector<fs::path> files;
  const auto listed = process::run(
      {.arguments = {"git", "-C", source.string(), "ls-files", "--cached", "--others", "--exclude-standard"}});
  if (listed && listed->succeeded()) {
    for (const std::string& line : text::split(text::trim(listed->output), '\n')) files.push_back(source / line);
  } else {
    for (auto it = fs::recursive_directory_iterator(source); it != fs::recursive_directory_iterator(); ++it) {
      const std::string name = it->path().filename().string();
      if (name == "build" || name == ".git") it.disable_recursion_pending();
      if (it->is_regular_file()) files.push_back(it->path());
    }
  }
  std::erase_if(files, [](const fs::path& path) { return !fs::is_regular_file(path); });
  return files;
}

// True for formats without comments, and for texts that must stay word for word.
bool carries_no_licence_line(const fs::path& path) {
  const std::set<std::string> endings{".json", ".jsonl", ".csv", ".png", ".svg", ".onnx", ".zip"};
  const std::set<std::string> names{"LICENSE", "CHANGELOG.md"};
  if (path.string().find("/tests/golden/outputs/") != std::string::npos) return true;
  return endings.contains(path.extension().string()) || names.contains(path.filename().string());
}

TEST(OwnFiles, NameTheirLicence) {
  const std::vector<fs::path> files = own_files();
  ASSERT_GT(files.size(), 50U);
  std::vector<std::string> without;
  for (const fs::path& path : files) {
    if (carries_no_licence_line(path)) continue;
    const std::string content = file::read(path).value();
    const std::string_view head = std::string_view(content).substr(0, 400);
    if (head.find("SPDX-License-Identifier: Apache-2.0") == std::string_view::npos) without.push_back(path.string());
  }
  EXPECT_THAT(without, IsEmpty());
}

// A test that no CMakeLists.txt names passes always.
TEST(OwnTests, ArePartsOfAProgram) {
  std::vector<std::string> in_none;
  for (const fs::path& path : own_files()) {
    const std::string name = path.filename().string();
    if (path.string().find("/tests/") == std::string::npos || !name.ends_with("_test.cpp")) continue;
    const auto list = file::read(path.parent_path() / "CMakeLists.txt");
    const auto above = file::read(path.parent_path().parent_path() / "CMakeLists.txt");
    if ((list.value_or("") + above.value_or("")).find(name) == std::string::npos) in_none.push_back(path.string());
  }
  EXPECT_THAT(in_none, IsEmpty());
}

// Where packages come from is the user's configuration. The names are put together here so that this file has none.
TEST(OwnFiles, DoNotNameAPackageRegistry) {
  const std::vector<std::string> hosts{std::string("pypi") + ".org",
                                       std::string("pythonhosted") + ".org",
                                       std::string("download.pytorch") + ".org",
                                       std::string("deb.debian") + ".org",
                                       std::string("archive.ubuntu") + ".com",
                                       std::string("--index") + "-url",
                                       std::string("--extra-index") + "-url"};
  std::vector<std::string> found;
  for (const fs::path& path : own_files()) {
    const std::string content = file::read(path).value();
    for (const std::string& host : hosts) {
      if (content.find(host) != std::string::npos) found.push_back(path.string() + ": " + host);
    }
  }
  EXPECT_THAT(found, IsEmpty());
}

// Text from devices and results files is made visible in one place, so nothing may print elsewhere.
TEST(OwnSources, PrintOnATerminalOnlyInOnePlace) {
  const std::set<std::string> places{"terminal.cpp", "progress_line.cpp"};
  std::vector<std::string> found;
  std::size_t looked_at = 0;
  const std::set<fs::path> folders{fs::path(NGB_SOURCE_DIR) / "apps/ngb", fs::path(NGB_SOURCE_DIR) / "src/campaign"};
  for (const fs::path& path : own_files()) {
    if (!folders.contains(path.parent_path()) || places.contains(path.filename().string())) continue;
    ++looked_at;
    const std::string content = file::read(path).value();
    for (const char* call : {"fmt::print", "printf", "puts(", "fwrite", "std::cout", "std::cerr"}) {
      if (content.find(call) != std::string::npos) found.push_back(path.string() + ": " + call);
    }
  }
  EXPECT_GT(looked_at, 20U);
  EXPECT_THAT(found, IsEmpty());
}

// An exception that leaves a bare thread ends the program, so base/threads.h starts all of them.
TEST(OwnSources, StartThreadsOnlyInOnePlace) {
  std::vector<std::string> found;
  std::size_t looked_at = 0;
  for (const fs::path& path : own_files()) {
    const std::string place = fs::relative(path, NGB_SOURCE_DIR).string();
    const bool is_source = path.extension() == ".cpp" || path.extension() == ".h";
    const bool is_ours = place.starts_with("src/") || place.starts_with("apps/");
    if (!is_source || !is_ours || place.starts_with("src/base/threads.")) continue;
    ++looked_at;
    const std::string content = file::read(path).value();
    for (const char* const start :
         {"std::thread(", "std::thread ", "std::thread>", "std::jthread", "std::async", "pthread_create"}) {
      if (content.find(start) != std::string::npos) found.push_back(place + ": " + start);
    }
  }
  EXPECT_GT(looked_at, 300U);
  EXPECT_THAT(found, IsEmpty());
}

TEST(OwnSources, HaveAboutThreeHundredLinesAtMost) {
  constexpr std::ptrdiff_t kLimit = 400;
  std::vector<std::string> long_ones;
  for (const fs::path& path : own_files()) {
    const std::string ending = path.extension().string();
    if (ending != ".h" && ending != ".cpp" && ending != ".py") continue;
    const std::string content = file::read(path).value();
    const std::ptrdiff_t lines = std::count(content.begin(), content.end(), '\n');
    if (lines > kLimit) long_ones.push_back(path.string() + ": " + std::to_string(lines));
  }
  EXPECT_THAT(long_ones, IsEmpty());
}

}  // namespace
}  // namespace ngb::rooms
