// SPDX-License-Identifier: Apache-2.0
#include "config/document.h"

#include <gtest/gtest.h>

#include <ctime>

namespace ngb::config {
namespace {

std::string problem(std::string_view text) {
  const auto document = parse_document(text);
  if (document) return "none";
  return std::to_string(document.error().line) + ":" + std::to_string(document.error().column) + ": " +
         document.error().message;
}

std::string repeated(std::string_view part, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += part;
  return out;
}

TEST(Document, CountsColumnsInCharactersFromOne) {
  const auto document = parse_document("é: [äö, x]");
  ASSERT_TRUE(document);
  const DocumentNode& list = *(*document)->entries.at(0).second;
  EXPECT_EQ(list.line, 1);
  EXPECT_EQ(list.column, 4);
  EXPECT_EQ(list.items.at(1)->column, 9);
}

TEST(Document, AcceptsAByteOrderMarkAndWindowsLineEnds) {
  const auto document = parse_document(
      "\xEF\xBB\xBF"
      "a: 1\r\nb: 2\r\n");
  ASSERT_TRUE(document);
  EXPECT_EQ((*document)->entries.size(), 2U);
  EXPECT_EQ((*document)->entries.at(1).second->text, "2");
}

TEST(Document, TextWithOnlyCommentsHasNoDocument) {
  for (const char* const text : {"", "\n\n", "# a comment\n"}) {
    const auto document = parse_document(text);
    ASSERT_TRUE(document) << text;
    EXPECT_TRUE(*document == nullptr || (*document)->is_null()) << text;
  }
}

TEST(Document, SharesTheNodeOfAnAnchorWithItsAliases) {
  const auto document = parse_document("a: &x [1, 2]\nb: *x\n");
  ASSERT_TRUE(document);
  EXPECT_EQ((*document)->entries.at(0).second, (*document)->entries.at(1).second);
}

TEST(Document, BoundsTheSizeWithAliasesExpanded) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before + repeated(", " + before, 9) + "]\n";
  }
  EXPECT_NE(problem(bomb).find("more than 20000 values"), std::string::npos) << problem(bomb);
}

TEST(Document, BoundsTheDepthWithAliasesExpanded) {
  EXPECT_NE(problem(repeated("[", 40) + repeated("]", 40)).find("nested deeper than 32 levels"), std::string::npos);
  EXPECT_NE(problem(repeated("[", 200'000)).find("nested deeper than 32 levels"), std::string::npos);
  EXPECT_NE(problem(repeated("{a: ", 100'000)).find("nested deeper than 32 levels"), std::string::npos);
  EXPECT_NE(problem(repeated("- ", 100'000)).find("nested deeper than 32 levels"), std::string::npos);
  std::string chain = "a0: &a0 [x]\n";
  for (int i = 1; i < 40; ++i) {
    chain += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  }
  EXPECT_NE(problem(chain).find("nested deeper than 32 levels"), std::string::npos) << problem(chain);
}

TEST(Document, AnAliasWithinItsOwnAnchorIsAProblem) {
  EXPECT_EQ(problem("a: &x [1, *x]"), "1:11: an alias is used within its own anchor");
}

TEST(Document, NamesThePlaceOfBytesThatAreNotText) {
  EXPECT_EQ(problem("a: 1\nb: \xFF\xFE\n"), "2:4: byte 0xff is not UTF-8 text; save the file as UTF-8");
  EXPECT_EQ(problem(std::string_view("a: \0x", 5)), "1:4: byte 0x00 is not UTF-8 text; save the file as UTF-8");
}

TEST(Document, ASecondDocumentIsAProblem) {
  EXPECT_EQ(problem("a: 1\n---\nb: 2\n"), "3:1: a second YAML document; a study file has only one");
}

TEST(Document, MoreThanAMebibyteIsRefusedByItsSize) {
  EXPECT_EQ(problem(std::string(kMaxDocumentBytes + 1, 'x')), "0:0: larger than 1048576 bytes; is this a study file?");
}

TEST(Document, NeedsAtMostFiveSecondsOfProcessorTimeForAnyTextOfTheLargestSize) {
  const int largest = static_cast<int>(kMaxDocumentBytes);
  for (const std::string& text :
       {repeated("- a\n", 4999), repeated("[", largest), repeated("? ", largest / 2), repeated("a: ", largest / 3),
        repeated("&a ", largest / 3), repeated("!a ", largest / 3), repeated("\"\n", largest / 2), repeated("*a ", 100),
        repeated("#\n", largest / 2), std::string(kMaxDocumentBytes, 'x'), repeated("- - \n", largest / 5),
        repeated("%A b\n", largest / 5)}) {
    const std::clock_t begin = std::clock();
    static_cast<void>(parse_document(text));
    EXPECT_LT(std::clock() - begin, 5 * CLOCKS_PER_SEC) << text.substr(0, 12);
  }
}

}  // namespace
}  // namespace ngb::config
