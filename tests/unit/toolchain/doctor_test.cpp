// SPDX-License-Identifier: Apache-2.0
#include "toolchain/doctor.h"

#include <algorithm>

#include "in_temporary_folder.h"
#include "toolchain/hardware.h"

namespace ngb::toolchain {
namespace {

class Doctor : public InTemporaryFolder {
 protected:
  Check check(const std::string& name) {
    const std::vector<Check> checks = examine(folder() / "lib", folder() / "toolchains");
    const auto found = std::find_if(checks.begin(), checks.end(), [&](const Check& c) { return c.name == name; });
    EXPECT_NE(found, checks.end()) << name;
    return found == checks.end() ? Check{} : *found;
  }
  void put_compiler(std::string_view more = "") {
    put("lib/compilers/onnxruntime/compiler.json",
        R"({"name": "onnxruntime", "summary": "", "host": "native", "needs_toolchain": true,
            "requirements": ["onnxruntime=={version}"])" +
            std::string(more) + "}");
  }
};

TEST_F(Doctor, SaysWhatToTypeForAMissingToolchain) {
  put_compiler();
  const Check found = check("toolchain onnxruntime");
  EXPECT_EQ(found.state, Check::State::missing);
  EXPECT_EQ(found.advice, "ngb toolchain install onnxruntime");
}

TEST_F(Doctor, ReportsAnInstalledVersion) {
  put_compiler();
  put("toolchains/onnxruntime/1.31.1/site/x", "");
  put("toolchains/onnxruntime/1.31.1/manifest.json",
      R"({"format": 1, "compiler": "onnxruntime", "version": "1.31.1", "python": "/usr/bin/python3", "adopted": false,
          "site": "site", "size_bytes": 1, "created": "", "packages": []})");
  EXPECT_EQ(check("toolchain onnxruntime").state, Check::State::ok);
  EXPECT_EQ(check("toolchain onnxruntime").found, "1.31.1");
}

TEST_F(Doctor, SeesAToolchainThatLostAPackage) {
  put_compiler();
  put("toolchains/onnxruntime/1.31.1/site/x", "");
  put("toolchains/onnxruntime/1.31.1/manifest.json",
      R"({"format": 1, "compiler": "onnxruntime", "version": "1.31.1", "python": "/usr/bin/python3", "adopted": false,
          "site": "site", "size_bytes": 1, "created": "", "packages": [
            {"name": "protobuf", "version": "7", "sha256": "", "size_bytes": 1}]})");
  const Check found = check("toolchain onnxruntime");
  EXPECT_EQ(found.state, Check::State::missing);
  EXPECT_EQ(found.found, (folder() / "toolchains/onnxruntime/1.31.1").string() +
                             ": onnxruntime 1.31.1 is damaged: the package protobuf is gone");
  EXPECT_EQ(found.advice,
            "ngb toolchain install onnxruntime@1.31.1 replaces it; ngb toolchain remove onnxruntime@1.31.1 removes it");
}

TEST_F(Doctor, ReportsAnAdoptedFolderThatDoesNotExistAnyMore) {
  put_compiler();
  put("toolchains/onnxruntime/1.31.1/manifest.json",
      R"({"format": 1, "compiler": "onnxruntime", "version": "1.31.1", "python": "/usr/bin/python3", "adopted": true,
          "site": "/nowhere/site-packages", "size_bytes": 1, "created": "", "packages": []})");
  EXPECT_EQ(check("toolchain onnxruntime").state, Check::State::warning);
  EXPECT_EQ(
      check("toolchain onnxruntime").advice,
      "/nowhere/site-packages does not exist any more: ngb toolchain remove onnxruntime@1.31.1, then install it again");
}

TEST_F(Doctor, ReportsAPluginThatIsNotBuilt) {
  put_compiler();
  EXPECT_EQ(check("compiler onnxruntime").state, Check::State::missing);
  put("lib/compilers/onnxruntime/onnxruntime.so", "");
  EXPECT_EQ(check("compiler onnxruntime").state, Check::State::ok);
  EXPECT_EQ(check("compiler openvino").advice,
            "run scripts/setup, which fetches the headers it needs, and build again");
}

TEST_F(Doctor, WarnsIfTheDiskIsTooSmallForTheMissingToolchains) {
  put_compiler(R"(, "disk_bytes": 9000000000000000000)");
  EXPECT_EQ(check("disk").state, Check::State::warning);
}

TEST_F(Doctor, ReportsNoMissingToolchainThatOnlyAGpuCouldUse) {
  if (has_device("cuda")) GTEST_SKIP() << "there is an NVIDIA GPU";
  put_compiler(R"(, "devices": ["cuda"], "disk_bytes": 9000000000000000000)");
  EXPECT_EQ(check("toolchain onnxruntime").state, Check::State::ok);
  EXPECT_EQ(check("toolchain onnxruntime").found, "none installed, and there is no NVIDIA GPU here");
  EXPECT_EQ(check("disk").state, Check::State::ok);
}

TEST_F(Doctor, SaysHowToGetAMissingPython) {
  ::setenv("NGB_PYTHON", "/nowhere/python3", 1);
  const Check found = check("python");
  ::unsetenv("NGB_PYTHON");
  EXPECT_EQ(found.state, Check::State::missing);
  EXPECT_EQ(found.advice,
            "install Python 3.9 or newer (apt-get install python3 python3-pip), or name one with NGB_PYTHON");
}

}  // namespace
}  // namespace ngb::toolchain
