// SPDX-License-Identifier: Apache-2.0
// docs/paper.md against the tests and the commands: each item of the paper names one, which exists.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "named_tests.h"

namespace ngb::rooms {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::filesystem::path kRepository = NGB_SOURCE_DIR;

struct Item {
  std::string number{};
  bool works = false;
  std::vector<std::string> tests{};
  std::vector<std::string> commands{};  // "report" of `ngb report …`
};

std::vector<Item> items() {
  const std::regex row("^\\| (\\d+[ab]?) \\| .* \\| (●|○) \\| (.*) \\|$");
  const std::regex command("`ngb ([a-z]+)[^`]*`");
  std::vector<Item> found;
  for (const std::string& line : text::split(file::read(kRepository / "docs/paper.md").value(), '\n')) {
    std::smatch parts;
    if (!std::regex_match(line, parts, row)) continue;
    const std::string named = parts[3];
    Item item{.number = parts[1], .works = parts[2] == "●", .tests = tests_named_in(named)};
    for (std::sregex_iterator each(named.begin(), named.end(), command), last; each != last; ++each)
      item.commands.push_back((*each)[1]);
    found.push_back(std::move(item));
  }
  return found;
}

bool is_command(const std::string& name) {
  const auto files = std::filesystem::directory_iterator(kRepository / "apps/ngb");
  return std::any_of(begin(files), end(files), [&](const auto& entry) {
    return file::read(entry.path()).value_or("").find("add_subcommand(\"" + name + "\"") != std::string::npos;
  });
}

TEST(PaperPage, HasItsItemsOnceEach) {
  std::vector<std::string> expected;
  for (int i = 1; i <= 117; ++i) expected.push_back(std::to_string(i));
  expected.insert(expected.end(), {"118a", "118b"});
  for (int i = 119; i <= 129; ++i) expected.push_back(std::to_string(i));
  std::vector<std::string> numbers;
  for (const Item& item : items()) numbers.push_back(item.number);
  EXPECT_EQ(numbers, expected);
}

TEST(PaperPage, NamesATestOrACommandThatExistsForEachItem) {
  std::vector<std::string> missing;
  for (const Item& item : items()) {
    if (item.tests.empty() && item.commands.empty()) missing.push_back(item.number + ": nothing is named");
    for (const std::string& test : item.tests) {
      if (!is_test(test)) missing.push_back(item.number + ": " + test);
    }
    for (const std::string& command : item.commands) {
      if (!is_command(command)) missing.push_back(item.number + ": ngb " + command);
    }
  }
  EXPECT_THAT(missing, IsEmpty());
  EXPECT_FALSE(is_command("nobody"));
}

TEST(PaperPage, SaysThatThreeItemsWaitForHardware) {
  std::vector<std::string> open;
  for (const Item& item : items()) {
    if (!item.works) open.push_back(item.number);
  }
  EXPECT_THAT(open, ElementsAre("32", "45", "118a"));
}

}  // namespace
}  // namespace ngb::rooms
