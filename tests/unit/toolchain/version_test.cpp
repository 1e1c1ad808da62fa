// SPDX-License-Identifier: Apache-2.0
#include "toolchain/version.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ngb::toolchain {
namespace {

TEST(Version, IsOrderedAsPep440Says) {
  // The order that PEP 440 gives in "Summary of permitted suffixes and relative ordering", and more numbers.
  const std::vector<std::string> ascending{"0.9",    "1.0.dev1", "1.0a1.dev2",     "1.0a1",     "1.0a2", "1.0b1",
                                           "1.0rc1", "1.0",      "1.0.post1.dev1", "1.0.post1", "1.0.1", "1.9",
                                           "1.10",   "1.10.0.1", "2026.4.1",       "1!0.1"};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    for (std::size_t j = 0; j < ascending.size(); ++j) {
      const int order = compare_versions(ascending[i], ascending[j]);
      EXPECT_EQ(order, i < j ? -1 : i > j ? 1 : 0) << ascending[i] << " and " << ascending[j];
    }
  }
}

TEST(Version, IsTheSameWithMoreZerosOrALocalPart) {
  EXPECT_EQ(compare_versions("1.0", "1.0.0"), 0);
  EXPECT_EQ(compare_versions("2.15.0+cpu", "2.15.0"), 0);
  EXPECT_EQ(public_version("2.15.0+cpu"), "2.15.0");
}

TEST(Version, ThatIsNoneIsOlderThanAnyThatIs) { EXPECT_LT(compare_versions("nightly", "0.0.1"), 0); }

TEST(Specifier, IsMetOrNot) {
  EXPECT_TRUE(satisfies("1.31.1", ""));
  EXPECT_TRUE(satisfies("4.16.0", ">=4.10"));
  EXPECT_TRUE(satisfies("8.5.1", "<9.0.0,>=8.4.2"));
  EXPECT_FALSE(satisfies("9.0.0", "<9.0.0,>=8.4.2"));
  EXPECT_TRUE(satisfies("3.9.4", "~=3.9.0"));
  EXPECT_FALSE(satisfies("3.10.0", "~=3.9.0"));
  EXPECT_FALSE(satisfies("8.3.2", "!=8.3.*,>=5.3.0"));
  EXPECT_TRUE(satisfies("8.4.0", "!=8.3.*,>=5.3.0"));
  EXPECT_TRUE(satisfies("1.4.9", "==1.4.*"));
  EXPECT_TRUE(satisfies("2.15.0+cpu", "==2.15.0"));
  EXPECT_FALSE(satisfies("2.15.1", "==2.15.0"));
  EXPECT_FALSE(satisfies("1.0", ">1.0"));
}

}  // namespace
}  // namespace ngb::toolchain
