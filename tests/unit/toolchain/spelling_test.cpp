// SPDX-License-Identifier: Apache-2.0
#include "toolchain/spelling.h"

#include <gmock/gmock.h>

namespace ngb::toolchain {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Spelling, OfANameIsTheSameForEveryWriter) {
  EXPECT_EQ(normalised_name("Huggingface_Hub"), "huggingface-hub");
  EXPECT_EQ(normalised_name("ruamel.yaml__x"), "ruamel-yaml-x");
}

TEST(Spelling, OfARequirementBeginsWithAName) {
  EXPECT_EQ(required_name("CUDA_toolkit[cublas]==13.2.2; os_name == 'x'"), "cuda-toolkit");
  EXPECT_EQ(required_name("==1.0"), "");
}

TEST(Spelling, OfAVersionHasNumbersAndAnOptionalLocalPart) {
  EXPECT_EQ(public_version("2.15.0+cpu"), "2.15.0");
  EXPECT_THAT(release_numbers("3.11.7"), ElementsAre(3, 11, 7));
  EXPECT_THAT(release_numbers("1.10rc1"), ElementsAre(1, 10));
  EXPECT_THAT(release_numbers("1.0.post1"), ElementsAre(1, 0));
  EXPECT_THAT(release_numbers("nightly"), IsEmpty());
  EXPECT_THAT(release_numbers("1.99999999999999999999"), ElementsAre(1));
}

}  // namespace
}  // namespace ngb::toolchain
