// SPDX-License-Identifier: Apache-2.0
#include "base/python.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "temporary_folder.h"

namespace ngb::python {
namespace {

using testing::ElementsAre;

TEST(PythonOfAToolchain, SeesNoPackagesOfTheInterpreterIfNgbHasInstalledIt) {
  const TemporaryFolder folder;
  ASSERT_TRUE(file::write_atomically(folder / "manifest.json", R"({"adopted": false})"));
  EXPECT_THAT(of_toolchain("python3", folder / "site"), ElementsAre("python3", "-S"));
}

TEST(PythonOfAToolchain, IsUsedAsItIsIfItWasAdoptedOrHasNoManifestBesideIt) {
  const TemporaryFolder folder;
  EXPECT_THAT(of_toolchain("python3", folder / "site"), ElementsAre("python3"));
  EXPECT_THAT(of_toolchain("python3", ""), ElementsAre("python3"));
  ASSERT_TRUE(file::write_atomically(folder / "manifest.json", R"({"adopted": true})"));
  EXPECT_THAT(of_toolchain("python3", folder / "site"), ElementsAre("python3"));
  ASSERT_TRUE(file::write_atomically(folder / "manifest.json", "[]"));
  EXPECT_THAT(of_toolchain("python3", folder / "site"), ElementsAre("python3"));
}

}  // namespace
}  // namespace ngb::python
