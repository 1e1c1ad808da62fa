// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "architecture.h"
#include "base/file.h"
#include "base/text.h"
#include "temporary_folder.h"

namespace ngb::rooms {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const fs::path kSource = NGB_SOURCE_DIR;

TEST(Rooms, UseOnlyWhatArchitectureLists) {
  const Edges table = read_table(file::read(kSource / "ARCHITECTURE.md").value());
  ASSERT_GE(table.size(), 12U);
  EXPECT_EQ(table.at("plan"), (std::set<std::string>{"base", "work", "userfiles", "config", "config/keys", "zoo"}));
  EXPECT_THAT(violations(table, kSource / "src"), IsEmpty());
}

TEST(Rooms, AreListedInAnOrderInWhichEachUsesOnlyEarlierOnes) {
  // The map does not keep the table's order, so the names are read again.
  const std::string text = file::read(kSource / "ARCHITECTURE.md").value();
  for (const auto& [room, allowed] : read_table(text)) {
    for (const std::string& used : allowed) {
      if (used == "include") continue;
      EXPECT_LT(text.find("\n| " + used + " |"), text.find("\n| " + room + " |")) << room << " uses " << used;
    }
  }
}

TEST(Rooms, AreDrawnAboveTheRoomsThatTheyUse) {
  const std::string text = file::read(kSource / "ARCHITECTURE.md").value();
  const std::size_t begin = text.find("the client measures");
  ASSERT_NE(begin, std::string::npos);
  const std::vector<std::string> lines = text::split(text.substr(begin, text.find("```", begin) - begin), '\n');
  const auto line_of = [&](const std::string& room) {
    const std::regex alone("(^|[ ·])" + room + "( |$)");
    return std::find_if(lines.begin(), lines.end(), [&](const auto& line) { return std::regex_search(line, alone); });
  };
  for (const auto& [room, allowed] : read_table(text)) {
    EXPECT_NE(line_of(room), lines.end()) << room;
    for (const std::string& used : allowed) {
      if (used == "include") continue;
      EXPECT_LT(line_of(room), line_of(used)) << room << " uses " << used;
    }
  }
}

// Python looks into the folder where a command is called, which may be anybody's, unless base/python.h starts it; the
// workers and the exporter are started in a folder of ours.
TEST(Python, IsStartedByBasePythonOrInAFolderOfOurs) {
  std::set<std::string> starting;
  for (const char* const part : {"src", "apps"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kSource / part)) {
      if (entry.path().extension() != ".cpp") continue;
      for (const std::string& line : text::split(file::read(entry.path()).value(), '\n')) {
        const bool has_option = line.find("\"-m\"") != std::string::npos || line.find("\"-c\"") != std::string::npos;
        const bool is_shell = line.find("\"/bin/sh\"") != std::string::npos;
        if (has_option && !is_shell) starting.insert(fs::relative(entry.path(), kSource).string());
      }
    }
  }
  EXPECT_THAT(starting, ElementsAre("src/agent/workers/fork_server.cpp", "src/agent/workers/model_writing.cpp",
                                    "src/base/python.cpp"));
}

// Where the folder for temporary files is full, a library says of what it wrote in part that the model is damaged.
TEST(Python, MakesTemporaryFoldersBesideWhatItMakes) {
  const std::regex elsewhere(R"(tempfile\.\w+\((?!.*\bdir=))");
  for (const auto& entry : fs::recursive_directory_iterator(kSource / "python/ngraphbench")) {
    if (entry.path().extension() != ".py") continue;
    EXPECT_FALSE(std::regex_search(file::read(entry.path()).value(), elsewhere)) << entry.path();
  }
}

// A link in a folder that somebody has mailed would lead to a file of the user, which would be emptied or written to.
TEST(FilesThatAreWritten, AreNewOrOpenedWithoutFollowingALink) {
  std::set<std::string> following;
  for (const char* const part : {"src", "apps"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kSource / part)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
      for (const std::string& line : text::split(file::read(entry.path()).value(), '\n')) {
        const bool creates = line.find("O_CREAT") != std::string::npos || line.find("ofstream") != std::string::npos;
        const bool is_safe = line.find("O_NOFOLLOW") != std::string::npos || line.find("O_EXCL") != std::string::npos;
        if (creates && !is_safe) following.insert(fs::relative(entry.path(), kSource).string());
      }
    }
  }
  EXPECT_THAT(following, IsEmpty());
}

// Each of these removes only what has a name that ngb has just given, is in a folder with a mark, or in the user's own
// cache or toolchains; docs/security.md lists them. A further one has to be as safe before it is added here.
TEST(FoldersThatAreRemoved, AreRemovedInFilesThatSecurityLists) {
  const std::regex removes(R"((file|fs|filesystem)::remove_all\()");
  const std::string page = file::read(kSource / "docs/security.md").value();
  std::set<std::string> unlisted;
  for (const char* const part : {"src", "apps"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kSource / part)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
      const std::string name = fs::relative(entry.path(), kSource).string();
      if (!std::regex_search(file::read(entry.path()).value(), removes)) continue;
      if (page.find("`" + name + "`") == std::string::npos) unlisted.insert(name);
    }
  }
  EXPECT_THAT(unlisted, IsEmpty());
}

// Tests the check itself on a made-up tree.
class RoomsOf : public ::testing::Test {
 protected:
  void SetUp() override {
    put("base/CMakeLists.txt", "# x\nngb_room(base\n  SOURCES a.cpp)\n");
    put("plan/CMakeLists.txt", "# x\nngb_room(plan\n  SOURCES a.cpp\n  USES base\n  LINKS x::y)\n");
    put("plan/plan.cpp", "#include \"base/a.h\"\n#include \"near.h\"\n#include <store/system.h>\n");
  }
  void put(const fs::path& path, std::string_view content) { folder_.write(path, content); }
  std::vector<std::string> found() {
    return violations(
        read_table("| room | what | may use |\n| --- | --- | --- |\n| base | x | |\n| plan | y | base |\n"), folder());
  }
  [[nodiscard]] const fs::path& folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

TEST_F(RoomsOf, ATreeThatFollowsTheTableHasNoErrors) { EXPECT_THAT(found(), IsEmpty()); }

TEST_F(RoomsOf, AnIncludeThatBreaksTheTableIsNamed) {
  put("base/deep/wrong.h", "#include \"plan/plan.h\"\n");
  EXPECT_THAT(found(), ElementsAre("base/wrong.h includes plan, which base may not use"));
}

TEST_F(RoomsOf, ACMakeEdgeThatBreaksTheTableIsNamed) {
  put("plan/CMakeLists.txt", "\nngb_room(plan SOURCES a.cpp USES base store)\n");
  EXPECT_THAT(found(), ElementsAre("USES in src/plan/CMakeLists.txt is not what the table lists"));
}

TEST_F(RoomsOf, AFolderThatTheTableDoesNotListIsNamed) {
  put("cellar/x.cpp", "");
  EXPECT_THAT(found(), ElementsAre("src/cellar is not in the table"));
}

TEST_F(RoomsOf, AMissingFolderIsNamed) {
  EXPECT_THAT(violations(Edges{{"base", {}}, {"plan", {"base"}}, {"attic", {}}}, folder()),
              ElementsAre("the table has attic, and src/attic has no CMakeLists.txt"));
}

TEST_F(RoomsOf, ARoomInsideARoomHasItsOwnRow) {
  put("plan/inner/a.h", "#include \"base/a.h\"\n");
  put("plan/outer.cpp", "#include \"plan/inner/a.h\"\n");
  const Edges table{{"base", {}}, {"plan", {"base"}}, {"plan/inner", {"base"}}};
  EXPECT_THAT(violations(table, folder()), IsEmpty());
  put("plan/inner/b.h", "#include \"plan/outer.h\"\n");
  EXPECT_THAT(violations(table, folder()), ElementsAre("plan/inner/b.h includes plan, which plan/inner may not use"));
}

// With the functions of base/json_text.h, the library's parser is not compiled into each plugin; base/onnx_wire.h needs
// no protobuf.
TEST(Compilers, IncludeTheirOwnHeadersTheCTableAndTheFunctionsForJsonAndOnnxOnly) {
  constexpr std::array<std::string_view, 2> kAllowed{"#include \"base/json_text.h\"\n",
                                                     "#include \"base/onnx_wire.h\"\n"};
  std::vector<std::string> wrong;
  for (const auto& entry : fs::recursive_directory_iterator(kSource / "compilers")) {
    const std::string ending = entry.path().extension().string();
    if (ending != ".h" && ending != ".cpp") continue;
    std::string text = file::read(entry.path()).value();
    for (const std::string_view allowed : kAllowed) {
      if (const std::size_t at = text.find(allowed); at != std::string::npos) text.erase(at, allowed.size());
    }
    for (const std::string& room : included_folders(text)) {
      if (room != "include" && !room.starts_with("..")) wrong.push_back(entry.path().string() + ": " + room);
    }
  }
  EXPECT_THAT(wrong, IsEmpty());
}

}  // namespace
}  // namespace ngb::rooms
