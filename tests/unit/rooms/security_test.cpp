// SPDX-License-Identifier: Apache-2.0
// docs/security.md against the tests: each statement about what the program does names its test, which exists.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "base/file.h"

namespace ngb::rooms {
namespace {

namespace fs = std::filesystem;
const fs::path kRoot = NGB_SOURCE_DIR;

std::string all_tests() {
  std::string text;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "tests")) {
    const std::string ending = entry.path().extension().string();
    if (ending == ".cpp" || entry.path().filename() == "CMakeLists.txt") text += file::read(entry.path()).value();
  }
  return text;
}

constexpr std::array kPrograms{"cli", "client"};

// "Suite.Name" of a unit test, "file_test.test_name" of one of the programs, "fuzz.name" of a fuzzer.
bool is_there(const std::string& name, const std::string& tests) {
  const std::string suite = name.substr(0, name.find('.'));
  const std::string test = name.substr(name.find('.') + 1);
  if (suite.ends_with("_test")) {
    return std::any_of(kPrograms.begin(), kPrograms.end(), [&](const char* folder) {
      const std::string text = file::read(kRoot / "tests" / folder / (suite + ".py")).value_or("");
      return text.find("def " + test + "(") != std::string::npos;
    });
  }
  if (suite == "fuzz") return tests.find("NAME " + name + " ") != std::string::npos;
  return std::regex_search(tests, std::regex("TEST(_F|_P)?\\(" + suite + ",\\s*" + test + "\\)"));
}

TEST(SecurityPage, NamesTestsThatExist) {
  const std::string page = file::read(kRoot / "docs/security.md").value();
  const std::string tests = all_tests();
  const std::regex named("`([A-Za-z_]+\\.[A-Za-z_]+)`");
  const std::regex brackets("\\[(`[^\\]]*`)\\]");
  std::vector<std::string> missing;
  std::size_t count = 0;
  for (std::sregex_iterator group(page.begin(), page.end(), brackets), end; group != end; ++group) {
    const std::string names = (*group)[1];
    for (std::sregex_iterator name(names.begin(), names.end(), named), last; name != last; ++name) {
      ++count;
      if (!is_there((*name)[1], tests)) missing.push_back((*name)[1]);
    }
  }
  EXPECT_THAT(missing, testing::IsEmpty());
  EXPECT_GT(count, 25U);
  EXPECT_FALSE(is_there("Install.DoesWhatNobodyTested", tests));
}

TEST(SecurityPage, IsLinkedFromWhereStudiesAreExplained) {
  for (const char* page : {"README.md", "docs/study.md"}) {
    EXPECT_THAT(file::read(kRoot / page).value(), testing::HasSubstr("security.md")) << page;
  }
}

}  // namespace
}  // namespace ngb::rooms
