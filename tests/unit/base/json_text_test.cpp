// SPDX-License-Identifier: Apache-2.0
#include "base/json_text.h"

#include <gtest/gtest.h>

#include <string>

namespace ngb::json_text {
namespace {

std::string nested(std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); }

TEST(JsonText, OfFiveHundredLevelsIsRead) { EXPECT_EQ(dump(parse(nested(512))), nested(512)); }

TEST(JsonText, OfTwoHundredThousandLevelsIsNotJsonAndExhaustsNoStack) {
  EXPECT_TRUE(parse(nested(200'000)).is_discarded());
  EXPECT_TRUE(parse_ordered(nested(513)).is_discarded());
  EXPECT_THROW(parse_or_throw(nested(513)), nlohmann::json::parse_error);
}

TEST(JsonText, MayHaveAnyNumberOfBracketsInItsStrings) {
  const std::string text = '"' + std::string(1000, '[') + R"(\"[)" + std::string(1000, '{') + '"';
  EXPECT_EQ(dump(parse(text)), text);
}

TEST(JsonText, HasTheReplacementCharacterForBytesThatAreNotUtf8) {
  EXPECT_EQ(dump(nlohmann::json("a\xFFz")), "\"a\uFFFDz\"");
}

}  // namespace
}  // namespace ngb::json_text
