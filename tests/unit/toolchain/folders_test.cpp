// SPDX-License-Identifier: Apache-2.0
#include "toolchain/folders.h"

#include <unistd.h>

#include "base/process.h"
#include "base/text.h"
#include "in_temporary_folder.h"
#include "toolchain/manifest.h"
#include "toolchain/site.h"

namespace ngb::toolchain {
namespace {

namespace fs = std::filesystem;

class Folders : public InTemporaryFolder {
 protected:
  void make(const std::string& compiler, const std::string& version, const std::string& sha256 = "ab") {
    const Place place{folder(), compiler, version};
    ASSERT_TRUE(file::make_folder(place.partial() / "site"));
    const auto made = finish(place, {.compiler = compiler,
                                     .version = version,
                                     .folder = {},
                                     .site = {},
                                     .python = "/usr/bin/python3",
                                     .is_adopted = false,
                                     .packages = {{"x", "1", sha256, 10}},
                                     .size_bytes = 10,
                                     .created = {},
                                     .manifest_sha256 = {}});
    ASSERT_TRUE(made) << made.error().text();
  }
};

TEST_F(Folders, AreListedByCompilerAndByVersionAsANumber) {
  make("openvino", "2026.4.1");
  make("onnxruntime", "1.10.0");
  make("onnxruntime", "1.9.0");
  const auto all = list(folder());
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 3U);
  EXPECT_EQ((*all)[0].version, "1.9.0");
  EXPECT_EQ((*all)[1].version, "1.10.0");
  EXPECT_EQ((*all)[2].compiler, "openvino");
  EXPECT_EQ((*all)[2].site, folder() / "openvino/2026.4.1/site");
}

TEST_F(Folders, WithoutAManifestOrStillPartialAreNoToolchains) {
  make("onnxruntime", "1.9.0");
  fs::create_directories(folder() / "onnxruntime/1.10.0/site");
  fs::create_directories(folder() / "onnxruntime/1.11.0.partial-77");
  fs::copy(folder() / "onnxruntime/1.9.0/manifest.json", folder() / "onnxruntime/1.11.0.partial-77/manifest.json");
  put("onnxruntime/1.12.0/manifest.json", "{\"format\": 1");
  EXPECT_EQ(list(folder())->size(), 1U);
  EXPECT_FALSE(find(folder(), "onnxruntime", "1.8.0")->has_value());
  EXPECT_FALSE(find(folder(), "onnxruntime", "1.10.0"));
  EXPECT_EQ(find(folder(), "onnxruntime", "1.12.0").error().text(),
            (folder() / "onnxruntime/1.12.0/manifest.json").string() +
                ": onnxruntime 1.12.0 is damaged: not JSON; ngb toolchain install onnxruntime@1.12.0 replaces it; ngb "
                "toolchain remove onnxruntime@1.12.0 removes it");
  std::vector<Toolchain> listed = list(folder()).value();
  const auto damaged = take_damaged(folder(), listed);
  EXPECT_EQ(listed.size(), 1U);
  ASSERT_EQ(damaged.size(), 2U);
  EXPECT_EQ(damaged[0].version, "1.10.0");
  EXPECT_EQ(damaged[1].version, "1.12.0");
}

TEST_F(Folders, OfADamagedToolchainAreRemoved) {
  put("onnxruntime/1.12.0/manifest.json", "");
  ASSERT_TRUE(remove(folder(), "onnxruntime", "1.12.0"));
  EXPECT_FALSE(fs::exists(folder() / "onnxruntime/1.12.0"));
  std::vector<Toolchain> listed;
  EXPECT_TRUE(take_damaged(folder(), listed).empty());
}

TEST_F(Folders, ThatAreNoToolchainsAreNotRemoved) {
  put("onnxruntime/1.12.0/thesis.tex", "theirs");
  const Status refused = remove(folder(), "onnxruntime", "1.12.0");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what,
            "this folder has the place of a toolchain and no manifest.json, so ngb has not made it");
  EXPECT_EQ(file::read(folder() / "onnxruntime/1.12.0/thesis.tex").value_or("removed"), "theirs");
}

TEST_F(Folders, AreDamagedIfTheirManifestNamesAnotherVersion) {
  make("onnxruntime", "1.31.1");
  fs::rename(folder() / "onnxruntime/1.31.1", folder() / "onnxruntime/1.30.0");
  const auto found = find(folder(), "onnxruntime", "1.30.0");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().what, "onnxruntime 1.30.0 is damaged: its manifest says that it is onnxruntime 1.31.1");
  EXPECT_TRUE(remove(folder(), "onnxruntime", "1.30.0")) << "what is said to be done next works";
  EXPECT_FALSE(find(folder(), "onnxruntime", "1.30.0")->has_value());
}

TEST_F(Folders, WithChangedFilesHaveAnotherHashUntilTheyAreRestored) {
  make("mnn", "3.6.1");
  const std::string before = find(folder(), "mnn", "3.6.1")->value().manifest_sha256;
  put("mnn/3.6.1/site/MNN/__init__.py", "edited");
  const Toolchain changed = find(folder(), "mnn", "3.6.1")->value();
  EXPECT_NE(changed.manifest_sha256, before);
  EXPECT_EQ(parse_manifest(manifest_text(changed), changed.folder)->manifest_sha256, changed.manifest_sha256)
      << "as it is recorded with results";
  std::vector<Toolchain> listed = list(folder()).value();
  const auto damaged = take_damaged(folder(), listed);
  ASSERT_EQ(damaged.size(), 1U);
  EXPECT_TRUE(damaged[0].can_be_used);
  EXPECT_EQ(damaged[0].why.what,
            "mnn 3.6.1 is not as it was installed, so it counts as another build: site/MNN/__init__.py");
  EXPECT_EQ(damaged[0].why.next, "ngb toolchain install mnn@3.6.1 mends it");
  fs::remove_all(folder() / "mnn/3.6.1/site/MNN");
  EXPECT_EQ(find(folder(), "mnn", "3.6.1")->value().manifest_sha256, before);
}

TEST_F(Folders, ThatLackAFileAreDamaged) {
  put("mnn/3.6.1.partial-" + std::to_string(::getpid()) + "/site/MNN/__init__.py", "x = 1\n");
  make("mnn", "3.6.1");
  fs::remove(folder() / "mnn/3.6.1/site/MNN/__init__.py");
  EXPECT_EQ(find(folder(), "mnn", "3.6.1").error().what, "mnn 3.6.1 is damaged: site/MNN/__init__.py is gone");
}

TEST_F(Folders, OfAnEarlierNgbAreDamagedIfAPackageIsGone) {
  put("mnn/3.6.1/site/numpy-2.4.dist-info/RECORD", "");
  put("mnn/3.6.1/manifest.json",
      R"({"format": 1, "compiler": "mnn", "version": "3.6.1", "python": "python3", "adopted": false, "site": "site",
          "size_bytes": 1, "created": "", "packages": [
            {"name": "numpy", "version": "2.4", "sha256": "", "size_bytes": 1},
            {"name": "ml-dtypes", "version": "0.6", "sha256": "", "size_bytes": 1}]})");
  EXPECT_EQ(find(folder(), "mnn", "3.6.1").error().what, "mnn 3.6.1 is damaged: the package ml-dtypes is gone");
  put("mnn/3.6.1/site/ml_dtypes-0.6.dist-info/RECORD", "");
  EXPECT_TRUE(find(folder(), "mnn", "3.6.1"));
}

TEST_F(Folders, WithAManifestOfSomethingElseAreDamaged) {
  put("mnn/3.6.1/manifest.json", R"({"name": "a web page"})");
  EXPECT_EQ(find(folder(), "mnn", "3.6.1").error().what, "mnn 3.6.1 is damaged: not the manifest of a toolchain");
}

TEST_F(Folders, OfAMissingRootAreAnEmptyList) { EXPECT_TRUE(list(folder() / "nowhere")->empty()); }

TEST_F(Folders, AreRemovedWhole) {
  make("onnxruntime", "1.9.0");
  make("onnxruntime", "1.10.0");
  ASSERT_TRUE(remove(folder(), "onnxruntime", "1.9.0"));
  EXPECT_FALSE(fs::exists(folder() / "onnxruntime/1.9.0"));
  EXPECT_EQ(list(folder())->size(), 1U);
  const Status again = remove(folder(), "onnxruntime", "1.9.0");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().what, "onnxruntime 1.9.0 is not installed");
}

TEST_F(Folders, CannotHaveAVersionThatIsAPathElsewhere) {
  put("precious/manifest.json", "{}");
  for (const char* version : {"../precious", "..", ".", "", "a/b", "1.0.partial-3"}) {
    EXPECT_FALSE(check_version(version)) << version;
    EXPECT_FALSE(remove(folder(), "onnxruntime", version)) << version;
  }
  EXPECT_TRUE(fs::exists(folder() / "precious/manifest.json"));
}

TEST_F(Folders, HaveAHashThatFollowsTheWheelsAndNotTheTime) {
  make("onnxruntime", "1.9.0", "ab");
  const std::string first = find(folder(), "onnxruntime", "1.9.0")->value().manifest_sha256;
  ASSERT_TRUE(remove(folder(), "onnxruntime", "1.9.0"));
  make("onnxruntime", "1.9.0", "ab");
  EXPECT_EQ(find(folder(), "onnxruntime", "1.9.0")->value().manifest_sha256, first);
  ASSERT_TRUE(remove(folder(), "onnxruntime", "1.9.0"));
  make("onnxruntime", "1.9.0", "cd");
  EXPECT_NE(find(folder(), "onnxruntime", "1.9.0")->value().manifest_sha256, first);
}

TEST_F(Folders, AreUnderTheRootThatTheUserChooses) {
  ::setenv("NGB_TOOLCHAINS", "/chosen", 1);
  EXPECT_EQ(default_root(), "/chosen");
  ::setenv("NGB_TOOLCHAINS", "chosen/here", 1);
  EXPECT_EQ(default_root(), fs::current_path() / "chosen/here");
  ::unsetenv("NGB_TOOLCHAINS");
  ::setenv("XDG_DATA_HOME", "/data", 1);
  EXPECT_EQ(default_root(), "/data/ngraphbench/toolchains");
  ::unsetenv("XDG_DATA_HOME");
  ::setenv("HOME", "/home/someone", 1);
  EXPECT_EQ(default_root(), "/home/someone/.local/share/ngraphbench/toolchains");
}

TEST_F(Folders, OfPackagesAreMergedIfTheyShareANamespace) {
  put("site/nvidia/a/lib.so", "a");
  put("incoming/nvidia/b/lib.so", "b");
  put("incoming/other.py", "o");
  ASSERT_TRUE(site::merge(folder() / "incoming", folder() / "site"));
  EXPECT_TRUE(fs::exists(folder() / "site/nvidia/a/lib.so"));
  EXPECT_TRUE(fs::exists(folder() / "site/nvidia/b/lib.so"));
  EXPECT_TRUE(fs::exists(folder() / "site/other.py"));
}

TEST_F(Folders, OfPackagesAreMeasuredByTheirRecord) {
  put("site/some_thing/a.py", "12345");
  put("site/bin/tool", "123");
  put("site/other/b.py", "b");
  put("site/Some_Thing-1.0.dist-info/RECORD",
      "some_thing/a.py,sha256=x,5\n../../bin/tool,sha256=y,3\n\"some_thing/b, \"\"c\"\".py\",,\n"
      "Some_Thing-1.0.dist-info/RECORD,,\n");
  put("site/some_thing/b, \"c\".py", "1");
  put("site/Some_Thing-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: Some.Thing\nVersion: 1.0\n");
  const std::uint64_t record_bytes = fs::file_size(folder() / "site/Some_Thing-1.0.dist-info/RECORD");
  const auto there = site::contents("python3", folder() / "site");
  ASSERT_TRUE(there) << there.error().text();
  ASSERT_EQ(there->size(), 1U);
  EXPECT_EQ((*there)[0].name, "Some.Thing");
  EXPECT_EQ((*there)[0].version, "1.0");
  EXPECT_EQ((*there)[0].size_bytes, 9 + record_bytes);
}

TEST_F(Folders, OfPackagesAreMeasuredWithTheirBytecodeOnceWhetherItIsRecordedOrNot) {
  const auto made = process::run({.arguments = {"python3", "-c", "import sys; print(sys.implementation.cache_tag)"}});
  ASSERT_TRUE(made && made->succeeded());
  const std::string bytecode = "__pycache__/a." + std::string(text::trim(made->output)) + ".pyc";
  put("site/a.py", "12345");
  put("site/" + bytecode, "1234567");
  put("site/a-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: a\nVersion: 1.0\n");
  for (const std::string& record : {std::string("a.py,,\n"), "a.py,,\n" + bytecode + ",,\n"}) {
    put("site/a-1.0.dist-info/RECORD", record);
    const auto there = site::contents("python3", folder() / "site");
    ASSERT_TRUE(there) << there.error().text();
    EXPECT_EQ((*there)[0].size_bytes, 12U) << record;
  }
}

TEST_F(Folders, OfARecordThatPointsOutsideAreNotMeasured) {
  put("precious", "x");
  put("site/evil-1.0.dist-info/RECORD", "../precious,,\n/etc/hostname,,\n");
  put("site/evil-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n");
  const auto there = site::contents("python3", folder() / "site");
  ASSERT_TRUE(there) << there.error().text();
  ASSERT_EQ(there->size(), 1U);
  EXPECT_EQ((*there)[0].size_bytes, 0U);
}

}  // namespace
}  // namespace ngb::toolchain
