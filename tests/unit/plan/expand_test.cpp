// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "plan_fixture.h"
#include "temporary_folder.h"
#include "zoo/recipe.h"

namespace ngb::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAreArray;

// A folder with a small ONNX file whose batch size is fixed at 1.
class ModelFolder : public TemporaryFolder {
 public:
  ModelFolder() {
    const auto recipe = zoo::resolve("conv_block", {{"width", 4}, {"image_size", 8}}, 1);
    const auto written = zoo::write_onnx(recipe.value(), 1, file(), 1);
    if (!written) ADD_FAILURE() << written.error().text();
  }
  [[nodiscard]] std::filesystem::path file() const { return path() / "small.onnx"; }
};

config::Study study_of(std::vector<config::ModelEntry> models) {
  config::Study study = small_study();
  study.batch_sizes = {1};
  study.models = std::move(models);
  return study;
}

TEST(Plan, CellsAreInTheOrderDeviceModelBatchCompiler) {
  config::Study study = small_study();
  study.models.push_back(recipe("resnet18", "resnet18"));
  const Plan plan = expanded(study);
  std::vector<std::string> cells;
  for (const work::Cell& cell : plan.cells) {
    const work::Model& model = plan.model_of(cell);
    cells.push_back(model.label + " " + std::to_string(model.key.batch) + " " + plan.compiler_of(cell).label);
  }
  EXPECT_THAT(cells, ElementsAre("conv_block 1 identity", "conv_block 1 onnxruntime", "conv_block 1 null",
                                 "conv_block 8 identity", "conv_block 8 onnxruntime", "conv_block 8 null",
                                 "resnet18 1 identity", "resnet18 1 onnxruntime", "resnet18 1 null",
                                 "resnet18 8 identity", "resnet18 8 onnxruntime", "resnet18 8 null"));
  EXPECT_EQ(plan.groups.size(), 4U);
  EXPECT_EQ(process_count(plan), 60U);
}

TEST(Plan, ModelsCarryTheFactsOfTheirRecipe) {
  const Plan plan = expanded(study_of({recipe("resnet18", "resnet18")}));
  ASSERT_EQ(plan.models.size(), 1U);
  EXPECT_EQ(plan.models[0].family, "resnet");
  EXPECT_EQ(plan.models[0].parameters, 11'689'512U);  // timm's count
  EXPECT_THAT(plan.models[0].inputs, ElementsAre(TensorSignature{"input", DataType::f32, {1, 3, 224, 224}}));
}

// Both hashes were computed with Python's hashlib over the JSON of cell_id in expand.cpp and of a recipe.
TEST(Plan, ACellsIdIsTheHashOfItsProperties) {
  config::Study study = small_study();
  study.models = {recipe("mine", "conv_block", {{"depth", "1"}, {"width", "64"}})};
  study.batch_sizes = {8};
  study.compilers = {{.name = "onnxruntime",
                      .version = "1.30.0",
                      .options = {{"arena", "false"}, {"graph_optimization", "\"basic\""}},
                      .threads = 2,
                      .label = "old"}};
  study.devices[0].compilers = {"old"};
  const Plan plan = expanded(study);
  EXPECT_EQ(plan.models.at(0).key.hash, "8d7acbc6a618209ae7fd2f41836f398ed928266816fb285a8b7971b15a86cdff");
  EXPECT_THAT(ids(plan), ElementsAre("5fdd2ff313294137"));
  study.compilers[0].threads_asked = "all";
  EXPECT_THAT(ids(expanded(study)), ElementsAre("6c3815128e252ef0"));
  study.compilers[0].settings = {{"mlas.x", "\"a\""}, {"session.y", "1"}};
  EXPECT_THAT(ids(expanded(study)), ElementsAre("b465e4a2d5a9fe8b"));
  study.compilers[0].in_flight = std::nullopt;
  EXPECT_THAT(ids(expanded(study)), ElementsAre("363c83e614ad35d9"));
  study.compilers[0].instances = 2;
  EXPECT_THAT(ids(expanded(study)), ElementsAre("0f6e9e70254ec5ce"));
}

TEST(Plan, OnlyALabelTellsTwoEqualCompilersApart) {
  config::Study study = small_study();
  study.models = {recipe("mine", "conv_block", {{"depth", "1"}, {"width", "64"}})};
  study.batch_sizes = {8};
  work::Compiler old{.name = "onnxruntime",
                     .version = "1.30.0",
                     .options = {{"arena", "false"}, {"graph_optimization", "\"basic\""}},
                     .threads = 2,
                     .label = "old"};
  work::Compiler twin = old;
  twin.label = "older";
  study.compilers = {old, twin};
  study.devices[0].compilers = {"old", "older"};
  EXPECT_THAT(ids(expanded(study)), ElementsAre("285d32cdb8885fd4", "b3f13d9680e11b71"));
  study.devices[0].compilers = {"older"};
  EXPECT_THAT(ids(expanded(study)), ElementsAre("b3f13d9680e11b71"));
}

TEST(Plan, TheNumberThatAWordForThreadsMeansHereIsNotPartOfAnId) {
  config::Study study = small_study();
  for (work::Compiler& compiler : study.compilers) compiler.threads_asked = "physical";
  const std::vector<std::string> before = ids(expanded(study));
  for (work::Compiler& compiler : study.compilers) compiler.threads = 16;
  EXPECT_EQ(ids(expanded(study)), before);
}

TEST(Plan, ADevicesThreadsAreForItsCellsOnly) {
  config::Study study = small_study();
  study.batch_sizes = {1};
  study.own_threads = {"null"};
  study.devices.push_back({.name = "orin", .kind = "ssh", .threads = "all", .compilers = {"identity", "null"}});
  const Plan plan = expanded(study);
  std::vector<std::string> cells;
  for (const work::Cell& cell : plan.cells) {
    const work::Compiler& compiler = plan.compiler_of(cell);
    cells.push_back(cell.device + " " + compiler.label + " " + asked_threads(compiler));
  }
  EXPECT_THAT(cells, ElementsAre("local identity 1", "local onnxruntime 1", "local null 1", "orin identity all",
                                 "orin null 1"));
}

TEST(Plan, AModelIsMeasuredByTheCompilersThatItNames) {
  config::Study study = small_study();
  study.batch_sizes = {1, 8};
  study.models.push_back(recipe("resnet18", "resnet18"));
  study.models[0].compilers = {"null"};
  study.precision = "bf16";
  study.own_precision = {"null"};
  const Plan plan = expanded(study);
  std::vector<std::string> cells;
  for (const work::Cell& cell : plan.cells) {
    const work::Model& model = plan.model_of(cell);
    const work::Compiler& compiler = plan.compiler_of(cell);
    cells.push_back(model.label + " " + std::to_string(model.key.batch) + " " + compiler.label + " " +
                    compiler.precision);
  }
  EXPECT_THAT(cells, ElementsAre("conv_block 1 null f32", "conv_block 8 null f32", "resnet18 1 identity bf16",
                                 "resnet18 1 onnxruntime bf16", "resnet18 1 null f32", "resnet18 8 identity bf16",
                                 "resnet18 8 onnxruntime bf16", "resnet18 8 null f32"));
}

TEST(Plan, ModelsBelongToTheZoosGroupUnlessTheStudySaysOtherwise) {
  config::Study study = study_of({recipe("deit", "deit3_medium_patch16_224"), recipe("vit", "vit"),
                                  recipe("small", "resnet18", {{"classes", "10"}}), recipe("mine", "mlp")});
  study.models[3].group = "perceptrons";
  study.models[3].style = "hybrid";
  study.models[3].size = 4;
  const Plan plan = expanded(study);
  std::vector<std::string> found;
  for (const work::Model& model : plan.models) {
    found.push_back(model.group + " " + model.style + " " + (model.size ? std::to_string(*model.size) : "-"));
  }
  EXPECT_THAT(found, ElementsAre("DeiTs transformer 2", "ViTs transformer -", "ResNets convolutional -",
                                 "perceptrons hybrid 4"));
}

TEST(Plan, WhatAModelBelongsToIsNotPartOfItsHash) {
  config::Study study = small_study();
  const std::vector<std::string> before = ids(expanded(study));
  study.models[0].group = "mine";
  study.models[0].style = "hybrid";
  study.models[0].size = 2;
  EXPECT_EQ(ids(expanded(study)), before);
}

TEST(Plan, IdsDependNeitherOnOrderNorOnLabels) {
  config::Study study = small_study();
  study.models.push_back(recipe("resnet18", "resnet18"));
  const std::vector<std::string> before = ids(expanded(study));
  std::reverse(study.models.begin(), study.models.end());
  std::reverse(study.compilers.begin(), study.compilers.end());
  std::reverse(study.batch_sizes.begin(), study.batch_sizes.end());
  study.name = "renamed";
  study.models[0].label = "another";
  study.compilers[0].label = "nothing";
  study.devices[0].compilers[2] = "nothing";
  EXPECT_THAT(ids(expanded(study)), UnorderedElementsAreArray(before));
}

TEST(Plan, IdsDependOnEveryPropertyOfACell) {
  const auto one = [](auto&& change) {
    config::Study study = study_of({recipe("conv_block", "conv_block")});
    study.compilers = {{.name = "onnxruntime", .version = "1.31.1", .label = "onnxruntime"}};
    study.devices[0].compilers = {"onnxruntime"};
    change(study);
    return ids(expanded(study)).at(0);
  };
  const std::vector<std::string> all{one([](config::Study&) {}),
                                     one([](config::Study& study) { study.batch_sizes = {2}; }),
                                     one([](config::Study& study) { study.precision = "bf16"; }),
                                     one([](config::Study& study) { study.protocol.seed = 2; }),
                                     one([](config::Study& study) { study.compilers[0].name = "openvino"; }),
                                     one([](config::Study& study) { study.compilers[0].version = "1.30.0"; }),
                                     one([](config::Study& study) { study.compilers[0].threads = 2; }),
                                     one([](config::Study& study) { study.compilers[0].options = {{"a", "1"}}; }),
                                     one([](config::Study& study) { study.compilers[0].settings = {{"a", "1"}}; }),
                                     one([](config::Study& study) { study.compilers[0].in_flight = 2; }),
                                     one([](config::Study& study) { study.compilers[0].in_flight = std::nullopt; }),
                                     one([](config::Study& study) { study.compilers[0].instances = 2; }),
                                     one([](config::Study& study) { study.models[0].parameters = {{"depth", "2"}}; }),
                                     one([](config::Study& study) { study.devices[0].name = "other"; })};
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].size(), 16U);
    EXPECT_EQ(std::count(all.begin(), all.end(), all[i]), 1) << i;
  }
}

TEST(Plan, CellsUnderEachLoadAreInOneGroupAndThoseWithoutALoadKeepTheirIds) {
  config::Study study = small_study();
  study.batch_sizes = {1};
  const std::vector<std::string> without = ids(expanded(study));
  study.loads = {work::Load{}, {.kind = work::LoadKind::cpu, .processors = 1, .name = "cpu: 1"}};
  const Plan plan = expanded(study);
  ASSERT_EQ(plan.cells.size(), 6U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(plan.cells[i].id, without[i]);
    EXPECT_NE(plan.cells[i + 3].id, without[i]);
    EXPECT_EQ(plan.load_of(plan.cells[i]).name, "none");
    EXPECT_EQ(plan.load_of(plan.cells[i + 3]).name, "cpu: 1");
    EXPECT_EQ(plan.cells[i + 3].compiler_index, plan.cells[i].compiler_index);
  }
  ASSERT_EQ(plan.groups.size(), 1U);
  EXPECT_EQ(plan.groups[0].steps.size(), 6U * 5U);
}

// The expected hash was computed with Python's hashlib.
TEST(Plan, TheLoadIsPartOfACellsId) {
  config::Study study = small_study();
  study.models = {recipe("mine", "conv_block", {{"depth", "1"}, {"width", "64"}})};
  study.batch_sizes = {8};
  study.compilers = {{.name = "onnxruntime",
                      .version = "1.30.0",
                      .options = {{"arena", "false"}, {"graph_optimization", "\"basic\""}},
                      .threads = 2,
                      .label = "old"}};
  study.devices[0].compilers = {"old"};
  study.loads = {{.kind = work::LoadKind::cpu, .processors = 0.5, .name = "cpu: 50%"}};
  EXPECT_THAT(ids(expanded(study)), ElementsAre("34ff8575048426f2"));
}

TEST(Plan, OnlyTheCompilersOfADeviceRunThere) {
  config::Study study = small_study();
  study.devices[0].compilers = {"null", "identity"};
  const Plan plan = expanded(study);
  ASSERT_EQ(plan.cells.size(), 4U);
  EXPECT_EQ(plan.compiler_of(plan.cells[0]).name, "identity");
  EXPECT_EQ(plan.compiler_of(plan.cells[1]).name, "null");
}

TEST(Plan, AFileIsIdentifiedByItsContentInAnyFolder) {
  const ModelFolder folder;
  const auto copy = folder.path() / "copy.onnx";
  std::filesystem::copy_file(folder.file(), copy);
  const Plan first = expanded(study_of({{.label = "a", .file = folder.file()}}));
  const Plan second = expanded(study_of({{.label = "b", .file = copy}}));
  EXPECT_EQ(first.models.at(0).key.hash, hash::sha256_of_file(copy).value());
  EXPECT_EQ(ids(first), ids(second));
  EXPECT_EQ(first.models.at(0).path, folder.file().string());
  EXPECT_EQ(first.models.at(0).parameters, std::nullopt);
  EXPECT_THAT(first.models.at(0).inputs, ElementsAre(TensorSignature{"input", DataType::f32, {1, 3, 8, 8}}));
}

TEST(Plan, AFileWithGivenShapesIsAnotherModel) {
  const ModelFolder folder;
  const Plan plan = expanded(study_of({{.label = "a", .file = folder.file()},
                                       {.label = "b", .file = folder.file(), .shapes = {{"input", {1, 3, 8, 8}}}}}));
  EXPECT_NE(plan.models.at(0).key.hash, plan.models.at(1).key.hash);
}

TEST(Plan, AllProblemsOfModelsAreReportedTogether) {
  const auto plan = expand(study_of({recipe("wide", "conv_block", {{"width", "0"}}),
                                     {.label = "gone", .file = "/nowhere/gone.onnx"},
                                     recipe("fine", "resnet18")}));
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().where, "/studies/small.yaml");
  EXPECT_THAT(plan.error().what, HasSubstr("2 models cannot be used:\n  wide: "));
  EXPECT_THAT(plan.error().what, HasSubstr("\n  gone: /nowhere/gone.onnx"));
}

TEST(Plan, AFileThatIsNotOnnxIsAnError) {
  const auto plan = expand(study_of({{.label = "me", .file = "/proc/self/exe"}}));
  ASSERT_FALSE(plan);
  EXPECT_THAT(plan.error().what, HasSubstr("me: "));
}

TEST(Plan, TwoEntriesThatTurnOutToBeOneModelAreAnError) {
  const auto plan = expand(study_of({recipe("resnet18", "resnet18"), recipe("mine", "resnet")}));
  ASSERT_FALSE(plan);
  EXPECT_THAT(plan.error().what, HasSubstr("mine: the same model as resnet18; remove one of the two entries"));
}

TEST(Plan, AReferenceNeedNotBeAmongTheCompilers) {
  config::Study study = small_study();
  study.compilers.erase(study.compilers.begin());
  study.devices[0].compilers = {"onnxruntime", "null"};
  study.reference_version = "2.15.0";
  const Plan plan = expanded(study);
  EXPECT_EQ(plan.cells.size(), 4U);
  EXPECT_EQ(plan.study.reference, "identity");
}

}  // namespace
}  // namespace ngb::plan
