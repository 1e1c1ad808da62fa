// SPDX-License-Identifier: Apache-2.0
#include "toolchain/catalog.h"

#include "in_temporary_folder.h"

namespace ngb::toolchain {
namespace {

constexpr std::string_view kNative = R"({"name": "openvino", "summary": "Intel's", "host": "native",
  "needs_toolchain": true, "produces_file": false, "requirements": ["openvino=={version}"],
  "options": [{"name": "streams", "type": "int", "values": [], "default": "1", "meaning": "parallel requests"}]})";

class Catalog : public InTemporaryFolder {
 protected:
  std::string error_of(std::string_view description) {
    put("compilers/openvino/compiler.json", description);
    const auto catalog = read_catalog(folder());
    return catalog ? "no error" : catalog.error().text().substr(folder().string().size() + 1);
  }
};

TEST_F(Catalog, ReadsTheDescriptionBesideEachPlugin) {
  put("compilers/openvino/compiler.json", kNative);
  put("compilers/identity/compiler.json",
      R"({"name": "identity", "summary": "PyTorch", "host": "python", "adaptor": "identity:Adaptor",
          "needs_toolchain": true, "requirements": ["timm=={timm}", "torch=={version}"], "with_dependencies": true,
          "skip_without_gpu": ["triton"], "imports": ["torch"], "disk_bytes": 5000000000})");
  put("compilers/no_compiler/readme.txt", "");
  const auto catalog = read_catalog(folder());
  ASSERT_TRUE(catalog) << catalog.error().text();
  ASSERT_EQ(catalog->size(), 2U);
  const CompilerDescription& identity = (*catalog)[0];
  EXPECT_EQ(identity.name, "identity");
  EXPECT_EQ(identity.adaptor, "identity:Adaptor");
  EXPECT_EQ(identity.distributions, std::vector<std::string>{"torch"});
  EXPECT_TRUE(identity.with_dependencies);
  EXPECT_EQ(identity.disk_bytes, 5'000'000'000U);
  const CompilerDescription& openvino = (*catalog)[1];
  EXPECT_EQ(openvino.plugin, folder() / "compilers/openvino/openvino.so");
  EXPECT_FALSE(openvino.default_version.empty());
  ASSERT_EQ(openvino.options.size(), 1U);
  EXPECT_EQ(openvino.options[0].default_value, "1");
}

TEST_F(Catalog, ReadsWhichSettingsOfTheLibraryAreReserved) {
  std::string description(kNative);
  description.insert(description.size() - 1, R"(, "settings": {"meaning": "properties",
    "reserved": {"NUM_STREAMS": "options.streams", "THREADS": "threads", "CACHE": "fixed: cold"}})");
  put("compilers/openvino/compiler.json", description);
  const auto catalog = read_catalog(folder());
  ASSERT_TRUE(catalog) << catalog.error().text();
  const SettingsDescription& settings = (*catalog)[0].settings;
  EXPECT_EQ(settings.meaning, "properties");
  ASSERT_EQ(settings.reserved.size(), 3U);
  EXPECT_EQ(settings.reserved[1].name, "NUM_STREAMS");
  EXPECT_EQ(settings.reserved[1].owner, "options.streams");
  description.replace(description.find("options.streams"), 15, "options.steams");
  EXPECT_EQ(error_of(description),
            "compilers/openvino/compiler.json: settings: \"NUM_STREAMS\": \"options.steams\" is neither a key of a "
            "study nor an option");
}

TEST_F(Catalog, InstallsASharedToolchainAsItsOwnerDescribesIt) {
  put("compilers/openvino/compiler.json", kNative);
  const std::string guest = R"({"name": "guest", "summary": "", "host": "native", "needs_toolchain": true)";
  put("compilers/guest/compiler.json", guest + R"(, "toolchain": "openvino"})");
  const auto catalog = read_catalog(folder());
  ASSERT_TRUE(catalog) << catalog.error().text();
  EXPECT_EQ((*catalog)[0].toolchain, "openvino");
  EXPECT_EQ((*catalog)[0].requirements, std::vector<std::string>{"openvino=={version}"});
  EXPECT_EQ((*catalog)[0].default_version, (*catalog)[1].default_version);
  EXPECT_EQ((*catalog)[1].toolchain, "openvino");
  put("compilers/guest/compiler.json", guest + R"(, "toolchain": "tensorflow"})");
  EXPECT_NE(read_catalog(folder()).error().what.find("tensorflow has no toolchain"), std::string::npos);
}

TEST_F(Catalog, KnowsWhichCompilersRunModules) {
  std::string described(kNative);
  described.replace(described.find("\"needs"), 0, R"("runs_modules": "always", )");
  EXPECT_EQ(error_of(described), "no error");
  described.replace(described.find("always"), 6, "streams=2");
  EXPECT_EQ(
      error_of(described),
      "compilers/openvino/compiler.json: key \"runs_modules\": \"streams=2\" is neither always nor OPTION=VALUE of "
      "an option here");
}

TEST_F(Catalog, ReadsWhatACompilerSaysOfItsTimesAndOfJudgingOthers) {
  put("compilers/mine/compiler.json",
      R"({"name": "mine", "summary": "", "host": "native", "needs_toolchain": false, "devices": ["cuda"], "colour": 3,
          "judges": {"place": 2, "options": {"level": "none"}},
          "usual_times": {"start_s": 2, "compile_s": 15, "compile_s_per_million_parameters": 0.5,
                          "macs_per_thread_per_s": 1e12, "load_share": 0.02, "import_s": 0}})");
  const auto catalog = read_catalog(folder());
  ASSERT_TRUE(catalog) << catalog.error().text();
  const CompilerDescription& mine = catalog->front();
  EXPECT_EQ(mine.judges.place, 2);
  EXPECT_EQ(mine.judges.options, (work::Options{{"level", "\"none\""}}));
  EXPECT_EQ(mine.usual_times.compile_s, 15);
  EXPECT_FALSE(mine.usual_times_tuned);
  EXPECT_TRUE(mine.is_for_gpus());
}

TEST_F(Catalog, NamesFileAndKeyOfAnError) {
  EXPECT_EQ(error_of("{"), "compilers/openvino/compiler.json: not JSON");
  EXPECT_EQ(error_of("[]"), "compilers/openvino/compiler.json: expected an object");
  EXPECT_EQ(error_of(R"({"name": "openvino"})"), "compilers/openvino/compiler.json: key \"summary\" is missing");
  EXPECT_EQ(error_of(R"({"name": "onnxruntime", "summary": "", "host": "native", "needs_toolchain": false})"),
            "compilers/openvino/compiler.json: key \"name\": \"onnxruntime\" is in the folder \"openvino\"");
  EXPECT_EQ(error_of(R"({"name": "openvino", "summary": "", "host": "java", "needs_toolchain": false})"),
            "compilers/openvino/compiler.json: key \"host\": \"java\" is neither native nor python");
  EXPECT_EQ(error_of(R"({"name": "openvino", "summary": "", "host": "native", "needs_toolchain": false,
                         "option": []})"),
            "compilers/openvino/compiler.json: unknown key \"option\", did you mean \"options\"?");
  EXPECT_NE(error_of(R"({"name": "openvino", "summary": 3, "host": "native", "needs_toolchain": false})")
                .find("key \"summary\""),
            std::string::npos);
  EXPECT_NE(error_of(R"({"name": "openvino", "summary": "", "host": "native", "needs_toolchain": true,
                         "requirements": ["openvino=={version}", "x=={nobody}"]})")
                .find("no value for {nobody}"),
            std::string::npos);
}

TEST_F(Catalog, HasOneListOfDevices) {
  const std::string compiler = R"({"name": "openvino", "summary": "", "host": "native", "needs_toolchain": false,
      "devices": ["cpu", "cuda"], "options": [{"name": "device", "type": "string", "default": "cpu", "meaning": "",
      "values": ["cpu")";
  EXPECT_EQ(error_of(compiler + R"(, "cuda"]}]})"), "no error");
  EXPECT_EQ(error_of(compiler + "]}]}"),
            "compilers/openvino/compiler.json: key \"devices\": it differs from the values of the option device");
}

TEST_F(Catalog, NamesTheFolderThatHoldsNone) {
  const auto catalog = read_catalog(folder() / "lib");
  ASSERT_FALSE(catalog);
  EXPECT_EQ(catalog.error().where, (folder() / "lib/compilers").string());
}

TEST_F(Catalog, SuggestsTheNearestCompiler) {
  put("compilers/openvino/compiler.json", kNative);
  const auto catalog = read_catalog(folder());
  ASSERT_TRUE(catalog);
  EXPECT_EQ(find_compiler(*catalog, "openvino")->name, "openvino");
  EXPECT_EQ(find_compiler(*catalog, "openvno").error().what, "openvno: unknown compiler, did you mean openvino?");
}

TEST(OwnCatalog, IsReadWithoutAnError) {
  const auto catalog = read_catalog(std::filesystem::path(NGB_BUILD_DIR) / "lib/ngraphbench");
  ASSERT_TRUE(catalog) << catalog.error().text();
  EXPECT_FALSE(catalog->empty());
}

}  // namespace
}  // namespace ngb::toolchain
