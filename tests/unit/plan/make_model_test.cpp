// SPDX-License-Identifier: Apache-2.0
#include "plan/make_model.h"

#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/json_text.h"
#include "plan_fixture.h"
#include "temporary_folder.h"

namespace ngb::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class UserModel : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    return folder_.write(name, text);
  }
  [[nodiscard]] config::ModelEntry module(const std::string& file) const {
    return {.label = "net", .file = folder_ / file, .shapes = {{"x", {kBatchExtent, 4}}}, .factory = "build"};
  }
  static std::vector<std::string> names(const work::Model& model) {
    std::vector<std::string> names;
    for (const work::UserFile& file : model.files) names.push_back(file.name);
    return names;
  }

  static Result<work::Model> make_model(const config::ModelEntry& entry, int batch, std::uint64_t seed) {
    PythonFiles python_files;
    return plan::make_model(entry, batch, seed, python_files);
  }

  TemporaryFolder folder_;
};

TEST_F(UserModel, AModuleBringsTheFilesBesideItThatItImports) {
  write("net.py", "import os, helpers as h\nfrom blocks.attention import Block  # a package\nimport torch\n");
  write("helpers.py", "from more import *\n");
  write("more.py", "");
  write("blocks/__init__.py", "");
  write("blocks/attention.py", "");
  write("unrelated.py", "");
  const auto model = make_model(module("net.py"), 2, 7);
  ASSERT_TRUE(model) << model.error().text();
  EXPECT_THAT(names(*model), ElementsAre("model/net.py", "model/blocks/__init__.py", "model/blocks/attention.py",
                                         "model/helpers.py", "model/more.py"));
  EXPECT_EQ(model->files[4].sha256, hash::sha256(""));
  EXPECT_THAT(model->inputs, ElementsAre(TensorSignature{"x", DataType::f32, {2, 4}}));
  EXPECT_TRUE(model->is_module());
  const auto recipe = json_text::parse(work::json_of(model->source))["module"];
  EXPECT_EQ(recipe["file"], "model/net.py");
  EXPECT_EQ(recipe["seed"], 7);
}

TEST_F(UserModel, ImportsAreFoundAsPythonParsesThem) {
  write("net.py",
        "\"\"\"\nimport said_only\n\"\"\"\nimport a; import b\nfrom c import (\n    d,\n    e)\nimport os, \\\n  f\n"
        "def build():\n  if True: import g.h\n");
  for (const char* name : {"said_only.py", "a.py", "b.py", "c.py", "d.py", "f.py", "json.py"}) write(name, "");
  write("g/h.py", "from .other import x\n");
  write("g/template.py", "{{ no Python }\n");
  const auto model = make_model(module("net.py"), 2, 7);
  ASSERT_TRUE(model) << model.error().text();
  EXPECT_THAT(names(*model), ElementsAre("model/net.py", "model/a.py", "model/b.py", "model/c.py", "model/f.py",
                                         "model/g/h.py", "model/g/template.py"));
}

TEST_F(UserModel, AnImportedFileThatIsNotPythonIsReportedWithItsLine) {
  write("net.py", "import helpers\n");
  write("helpers.py", "a = 1\nb = = 2\n");
  const auto model = make_model(module("net.py"), 2, 7);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().what, "helpers.py, line 2: invalid syntax");
}

TEST_F(UserModel, ImportsAreReadOnceForAllBatchSizes) {
  write("net.py", "x = 1\n");
  PythonFiles python_files;
  ASSERT_TRUE(plan::make_model(module("net.py"), 2, 7, python_files));
  ::setenv("NGB_PYTHON", "/nowhere/python3", 1);
  EXPECT_TRUE(plan::make_model(module("net.py"), 8, 7, python_files));
  EXPECT_FALSE(make_model(module("net.py"), 8, 7));
  ::unsetenv("NGB_PYTHON");
}

TEST_F(UserModel, AModulesHashDependsOnEverythingThatItIsMadeOf) {
  write("net.py", "import helpers\n");
  write("helpers.py", "a = 1\n");
  const auto hash_of = [&](auto&& change) {
    config::ModelEntry entry = module("net.py");
    change(entry);
    const auto model = make_model(entry, 2, 1);
    EXPECT_TRUE(model) << model.error().text();
    return model ? model->key.hash : "";
  };
  std::vector<std::string> all{hash_of([](auto&) {})};
  EXPECT_EQ(make_model(module("net.py"), 8, 1)->key.hash, all[0]);  // the same at any batch size
  EXPECT_NE(make_model(module("net.py"), 2, 2)->key.hash, all[0]);  // other weights
  all.push_back(hash_of([](auto& entry) { entry.parameters = {{"depth", "2"}}; }));
  all.push_back(hash_of([](auto& entry) { entry.factory = "other"; }));
  all.push_back(hash_of([&](auto& entry) { entry.state_dict = write("w.pt", "weights"); }));
  all.push_back(hash_of([](auto& entry) { entry.inputs = {{"x", {.range = {{0, 1}}}}}; }));
  all.push_back(hash_of([](auto& entry) { entry.dynamic_batch = true; }));
  write("helpers.py", "a = 2\n");
  all.push_back(hash_of([](auto&) {}));
  for (const std::string& hash : all) EXPECT_EQ(std::count(all.begin(), all.end(), hash), 1);
}

TEST_F(UserModel, AShapeWithoutTheWordBatchIsRefusedAtOtherBatchSizes) {
  write("net.py", "");
  config::ModelEntry entry = module("net.py");
  entry.shapes = {{"x", {1, 4}}};
  EXPECT_TRUE(make_model(entry, 1, 1));
  EXPECT_THAT(make_model(entry, 8, 1).error().text(), HasSubstr("no shape has the batch size 8; write the word batch"));
}

TEST_F(UserModel, ValuesThatDoNotFitAreReportedBeforeAnythingRuns) {
  write("net.py", "");
  config::ModelEntry entry = module("net.py");
  entry.inputs = {{"y", {.range = {{0, 1}}}}};
  EXPECT_THAT(make_model(entry, 1, 1).error().text(), HasSubstr("input \"y\": no such input, did you mean x?"));
  entry.inputs = {{"x", {.file = write("x.npy", "no array")}}};
  EXPECT_THAT(make_model(entry, 1, 1).error().text(), HasSubstr("x.npy: neither an .npy nor an .npz file"));
  entry.inputs = {{"x", {.range = {{0, 0.5}}, .type = "i64"}}};
  EXPECT_THAT(make_model(entry, 1, 1).error().text(), HasSubstr("0.5 is not a value of type i64"));
}

TEST_F(UserModel, ARecipesTokensAreThoseOfItsVocabularyUnlessTheStudySaysOtherwise) {
  config::ModelEntry entry = recipe("a", "llama_3m");
  const work::Model usual = make_model(entry, 1, 1).value();
  EXPECT_EQ(*work::values_of(usual.values, "input_ids")->range, std::pair(0.0, 4095.0));
  EXPECT_EQ(*work::values_of(usual.values, "position")->range, std::pair(128.0, 128.0));
  EXPECT_EQ(work::values_of(usual.values, "past_key_values.0.key"), nullptr);
  entry.inputs = {{"input_ids", {.range = {{7, 9}}}}};
  const work::Model given = make_model(entry, 1, 1).value();
  EXPECT_EQ(*work::values_of(given.values, "input_ids")->range, std::pair(7.0, 9.0));
  EXPECT_EQ(*work::values_of(given.values, "position")->range, std::pair(128.0, 128.0));
  EXPECT_NE(given.key.hash, usual.key.hash);
}

TEST_F(UserModel, ARecipeCompiledForAnyBatchIsAnotherModel) {
  const auto fixed = make_model(recipe("a", "conv_block"), 8, 1);
  config::ModelEntry entry = recipe("b", "conv_block");
  entry.dynamic_batch = true;
  const auto open = make_model(entry, 8, 1);
  ASSERT_TRUE(fixed && open);
  EXPECT_NE(fixed->key.hash, open->key.hash);
  EXPECT_EQ(fixed->open_inputs.size(), 0U);
  EXPECT_EQ(open->inputs[0].shape[0], 8);
  EXPECT_EQ(open->open_inputs[0].shape[0], kOpenExtent);
}

}  // namespace
}  // namespace ngb::plan
