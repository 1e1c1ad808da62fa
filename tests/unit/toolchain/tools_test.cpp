// SPDX-License-Identifier: Apache-2.0
#include "toolchain/tools.h"

#include <gtest/gtest.h>

#include "temporary_folder.h"
#include "toolchain/manifest.h"
#include "toolchain/pins.h"

namespace ngb::toolchain {
namespace {

TEST(Tools, ArePinnedToOneWheelOnEachKindOfMachine) {
  EXPECT_EQ(versioned_package(drawing_tool().requirements), "vl-convert-python");
  for (const CompilerDescription& tool : tools()) {
    ASSERT_FALSE(tool.default_version.empty()) << tool.name;
    for (const char* const kind : {"cp311-x86_64", "cp311-aarch64"}) {
      const std::string wheel = versioned_package(tool.requirements);
      EXPECT_FALSE(check_wheel(kind, wheel, tool.default_version, std::string(64, '0'))) << wheel << " on " << kind;
    }
  }
}

// Writes the manifest of a toolchain that is never started.
void install_made_up(const std::filesystem::path& root, const std::string& name, const std::string& version) {
  const std::filesystem::path folder = root / name / version;
  std::filesystem::create_directories(folder / "site");
  ASSERT_TRUE(write_manifest({.compiler = name, .version = version, .folder = folder, .python = "python3"}, folder));
}

TEST(Tools, ThatQuantiseComeWithWhatTheyRequire) {
  EXPECT_EQ(quantising_tool().default_version, "3.4.0");
  EXPECT_TRUE(quantising_tool().with_dependencies);
}

TEST(Tools, AreFoundInTheirDefaultVersionElseInTheNewest) {
  const TemporaryFolder folder;
  const CompilerDescription tool = drawing_tool();
  EXPECT_FALSE(find_tool(folder.path(), tool).value());
  install_made_up(folder.path(), "onnxruntime", "1.0.0");
  EXPECT_FALSE(find_tool(folder.path(), tool).value());
  install_made_up(folder.path(), "figures", "1.0.0");
  install_made_up(folder.path(), "figures", "99.0.0");
  EXPECT_EQ(find_tool(folder.path(), tool).value()->version, "99.0.0");
  install_made_up(folder.path(), "figures", tool.default_version);
  EXPECT_EQ(find_tool(folder.path(), tool).value()->version, tool.default_version);
}

}  // namespace
}  // namespace ngb::toolchain
