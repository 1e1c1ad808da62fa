// SPDX-License-Identifier: Apache-2.0
// docs/security.md against the tests: each statement about what the program does names its test, which exists.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "base/file.h"
#include "named_tests.h"

namespace ngb::rooms {
namespace {

namespace fs = std::filesystem;
const fs::path kRoot = NGB_SOURCE_DIR;

TEST(SecurityPage, NamesTestsThatExist) {
  const std::string page = file::read(kRoot / "docs/security.md").value();
  const std::regex brackets("\\[(`[^\\]]*`)\\]");
  std::vector<std::string> missing;
  std::size_t count = 0;
  for (std::sregex_iterator group(page.begin(), page.end(), brackets), end; group != end; ++group) {
    for (const std::string& name : tests_named_in((*group)[1])) {
      ++count;
      if (!is_test(name)) missing.push_back(name);
    }
  }
  EXPECT_THAT(missing, testing::IsEmpty());
  EXPECT_GT(count, 25U);
  EXPECT_FALSE(is_test("Install.DoesWhatNobodyTested"));
}

TEST(SecurityPage, IsLinkedFromWhereStudiesAreExplained) {
  for (const char* page : {"README.md", "docs/study.md"}) {
    EXPECT_THAT(file::read(kRoot / page).value(), testing::HasSubstr("security.md")) << page;
  }
}

}  // namespace
}  // namespace ngb::rooms
