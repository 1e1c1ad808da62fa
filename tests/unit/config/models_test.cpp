// SPDX-License-Identifier: Apache-2.0
#include "study_fixture.h"

namespace ngb::config {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::string with_models(std::string_view models) { return "compilers: [onnxruntime]\nmodels:\n" + std::string(models); }

std::vector<std::string> model_labels(const Study& study) {
  std::vector<std::string> out;
  for (const ModelEntry& model : study.models) out.push_back(model.label);
  return out;
}

TEST(StudyModels, AListForAScalarParameterIsAnAxisAndTheLastAxisIsFastest) {
  const Study study = good(with_models("  - zoo: {conv_block: {width: [64, 96], depth: [1, 2, 4]}}"));
  EXPECT_THAT(model_labels(study),
              ElementsAre("conv_block width=64 depth=1", "conv_block width=64 depth=2", "conv_block width=64 depth=4",
                          "conv_block width=96 depth=1", "conv_block width=96 depth=2", "conv_block width=96 depth=4"));
  EXPECT_EQ(study.models[4].family, "conv_block");
  EXPECT_THAT(study.models[4].parameters, ElementsAre(Pair("depth", "2"), Pair("width", "96")));
}

TEST(StudyModels, AListForAListParameterIsAValueAndAListOfListsAnAxis) {
  const Study one = good(with_models("  - zoo: {resnet: {depths: [1, 2, 3, 4]}}"));
  EXPECT_THAT(model_labels(one), ElementsAre("resnet depths=[1,2,3,4]"));
  const Study two = good(with_models("  - zoo: {resnet: {depths: [[1, 1, 1, 1], [3, 4, 6, 3]]}}"));
  EXPECT_THAT(model_labels(two), ElementsAre("resnet depths=[1,1,1,1]", "resnet depths=[3,4,6,3]"));
  EXPECT_THAT(two.models[1].parameters, ElementsAre(Pair("depths", "[3,4,6,3]")));
}

TEST(StudyModels, ALabelReplacesTheRecipesNameAndKeepsTheAxes) {
  EXPECT_THAT(model_labels(good(with_models("  - {zoo: {conv_block: {width: 96, depth: [1, 2]}}, label: block}"))),
              ElementsAre("block depth=1", "block depth=2"));
  EXPECT_THAT(model_labels(good(with_models("  - {zoo: resnet18, label: small one}"))), ElementsAre("small one"));
}

TEST(StudyModels, ARecipeNeedsNoParameters) {
  EXPECT_THAT(model_labels(good(with_models("  - zoo: {conv_block: }\n  - zoo: resnet50"))),
              ElementsAre("conv_block", "resnet50"));
}

TEST(StudyModels, ARelativePathStartsAtTheStudysFolderAndIsMadeAbsolute) {
  const TemporaryFolder folder;
  static_cast<void>(folder.write("net.onnx", "x"));
  const auto path = folder.write(
      "study.yaml", with_models("  - onnx: ./net.onnx\n    shapes: {tokens: [1, 128], image: [1, 3, 224, 224]}"));
  const auto study = load_study(path, small_vocabulary());
  ASSERT_TRUE(study) << study.error()[0].text();
  EXPECT_EQ(study->models[0].label, "net");
  EXPECT_EQ(study->models[0].file, folder.path() / "net.onnx");
  EXPECT_THAT(study->models[0].shapes,
              ElementsAre(Pair("image", ElementsAre(1, 3, 224, 224)), Pair("tokens", ElementsAre(1, 128))));
}

TEST(StudyModels, AMissingFileIsReportedWithTheFolderWherePathsStart) {
  EXPECT_THAT(problems(with_models("  - onnx: gone.onnx")),
              ElementsAre("3:11: models[0].onnx: gone.onnx: no such file; relative paths start at the study's folder"));
  EXPECT_THAT(problems(with_models("  - onnx: /tmp")),
              ElementsAre("3:11: models[0].onnx: /tmp: a folder, expected an ONNX file"));
}

TEST(StudyModels, ACompiledFileIsLeftToTheCompilersThatRunIt) {
  Vocabulary vocabulary = small_vocabulary();
  vocabulary.compilers[3].compiled_files = {{".xml", ".bin"}};
  const TemporaryFolder folder;
  static_cast<void>(folder.write("net.xml", "x"));
  static_cast<void>(folder.write("net.bin", "x"));
  const auto read = [&](const std::string& models) {
    return load_study(folder.write("study.yaml", "compilers: [identity, openvino]\nmodels:\n" + models), vocabulary);
  };
  const auto study = read("  - file: net.xml");
  ASSERT_TRUE(study) << study.error()[0].text();
  EXPECT_EQ(study->models[0].kind(), ModelKind::compiled);
  EXPECT_EQ(study->models[0].label, "net.xml");
  EXPECT_THAT(study->models[0].compilers, ElementsAre("openvino"));
  const auto by_another = read("  - {file: net.xml, compilers: [identity]}");
  ASSERT_FALSE(by_another);
  EXPECT_EQ(by_another.error()[0].message, "none of its compilers runs .xml files; add openvino");
  const auto unknown = read("  - file: net.bin");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error()[0].message, "no compiler runs files that end so; known are .xml");
}

TEST(StudyModels, MistakesNameTheNearestRecipeAndParameter) {
  EXPECT_THAT(
      problems(with_models("  - zoo: resnet81\n  - zoo: {conv_block: {widht: 3}}\n  - zoo: {resnet18: {a: 1}}")),
      ElementsAre("3:10: models[0].zoo: resnet81: unknown recipe, did you mean resnet18?",
                  "4:24: models[1].zoo.conv_block: widht: unknown parameter of conv_block, did you mean width?",
                  "5:22: models[2].zoo.resnet18: a: resnet18 has no parameters"));
}

TEST(StudyModels, ChecksEachValueOfAnAxis) {
  EXPECT_THAT(
      problems(with_models("  - zoo: {conv_block: {width: [0, 64, 64, wide], depth: []}}")),
      ElementsAre("3:32: models[0].zoo.conv_block.width[0]: expected an integer from 1 to 4096, found 0",
                  "3:39: models[0].zoo.conv_block.width[2]: 64 is listed twice; remove one of the two",
                  "3:43: models[0].zoo.conv_block.width[3]: expected an integer from 1 to 4096, found wide",
                  "3:57: models[0].zoo.conv_block.depth: expected an integer from 1 to 6, or a list of such values, "
                  "found an empty list"));
}

TEST(StudyModels, TheSameModelTwiceIsAProblemEvenIfADefaultIsWrittenOut) {
  EXPECT_THAT(
      problems(with_models("  - zoo: conv_block\n  - zoo: {conv_block: {width: 64}}")),
      ElementsAre("4:5: models: conv_block width=64 is the same model as conv_block; remove one of the two entries"));
}

TEST(StudyModels, TwoModelsWithOneLabelAreAProblem) {
  EXPECT_THAT(problems(with_models("  - zoo: resnet18\n  - {zoo: resnet50, label: resnet18}")),
              ElementsAre("4:5: models: the label resnet18 is used twice; change one of the two labels"));
}

TEST(StudyModels, AnEntryOfTheWrongFormIsReported) {
  EXPECT_THAT(
      problems(
          with_models("  - resnet18\n  - {zoo: resnet18, onnx: a}\n  - {label: x}\n  - {zoo: resnet18, shapes: {}}\n"
                      "  - {zoo: resnet50, lable: y}")),
      ElementsAre("3:5: models[0]: expected a mapping such as {zoo: resnet18} or {onnx: model.onnx}, found resnet18",
                  "4:5: models[1]: expected exactly one of the keys zoo, onnx, file, pytorch, timm and quantise",
                  "5:5: models[2]: expected exactly one of the keys zoo, onnx, file, pytorch, timm and quantise",
                  "6:29: models[3].shapes: a recipe defines its shapes; remove this key",
                  "7:21: models[4]: lable: unknown key, did you mean label?"));
}

TEST(StudyModels, AUsersModuleIsAFunctionOfAFileWithItsArgumentsAndWeights) {
  const TemporaryFolder folder;
  static_cast<void>(folder.write("net.py", "x"));
  static_cast<void>(folder.write("w.pt", "x"));
  const auto study = load_study(folder.write("study.yaml", with_models(R"(
  - pytorch: net.py:build
    parameters: {depth: 2, widths: [8, 16], act: relu}
    state_dict: w.pt
    shapes: {x: [batch, 3, 8, 8]}
    inputs: {x: {type: f16, range: [0, 1]}}
  - {timm: resnext50_32x4d, parameters: {pretrained: true}, dynamic_batch: true})")),
                                small_vocabulary());
  ASSERT_TRUE(study) << study.error()[0].text();
  const ModelEntry& module = study->models[0];
  EXPECT_EQ(module.kind(), ModelKind::pytorch);
  EXPECT_EQ(module.label, "net:build");
  EXPECT_EQ(module.file, folder.path() / "net.py");
  EXPECT_EQ(module.factory, "build");
  EXPECT_EQ(module.state_dict, folder.path() / "w.pt");
  EXPECT_THAT(module.parameters, ElementsAre(Pair("act", "\"relu\""), Pair("depth", "2"), Pair("widths", "[8,16]")));
  EXPECT_THAT(module.shapes, ElementsAre(Pair("x", ElementsAre(kBatchExtent, 3, 8, 8))));
  EXPECT_THAT(module.inputs, ElementsAre(Pair("x", InputEntry{.range = {{0, 1}}, .type = "f16"})));
  EXPECT_EQ(study->models[1].kind(), ModelKind::timm);
  EXPECT_EQ(study->models[1].label, "resnext50_32x4d dynamic_batch");
  EXPECT_TRUE(study->models[1].dynamic_batch);
}

TEST(StudyModels, EachValueOfAModulesParameterIsAModelAndTheLastAxisIsFastest) {
  const TemporaryFolder folder;
  static_cast<void>(folder.write("net.py", "x"));
  const auto study = load_study(folder.write("study.yaml", with_models(R"(
  - pytorch: net.py:build
    parameters: {width: {each: [16, 32]}, depth: {each: [2, 4]}, heads: [2, 2]}
    raw_bytes: 4096
    encoded_bytes: {width: {16: 64, 32: 128}})")),
                                small_vocabulary());
  ASSERT_TRUE(study) << study.error()[0].text();
  EXPECT_THAT(model_labels(*study), ElementsAre("net:build width=16 depth=2", "net:build width=16 depth=4",
                                                "net:build width=32 depth=2", "net:build width=32 depth=4"));
  const ModelEntry& third = study->models[2];
  EXPECT_THAT(third.parameters, ElementsAre(Pair("depth", "2"), Pair("heads", "[2,2]"), Pair("width", "32")));
  EXPECT_EQ(third.group, "net:build");
  EXPECT_EQ(third.raw_bytes, 4096U);
  EXPECT_EQ(third.encoded_bytes, 128U);
}

TEST(StudyModels, AnAxisMayBeOfListsAndMappingsWhichLabelsShowAsJson) {
  const TemporaryFolder folder;
  static_cast<void>(folder.write("net.py", "x"));
  const auto study = load_study(folder.write("study.yaml", with_models(R"(
  - pytorch: net.py:build
    parameters: {stages: {each: [[2, 2], [2, 4]]}}
  - pytorch: net.py:other
    parameters: {sizes: {each: [{width: 8}, {width: 16}]}})")),
                                small_vocabulary());
  ASSERT_TRUE(study) << study.error()[0].text();
  EXPECT_THAT(model_labels(*study), ElementsAre("net:build stages=[2,2]", "net:build stages=[2,4]",
                                                R"(net:other sizes={"width":8})", R"(net:other sizes={"width":16})"));
}

TEST(StudyModels, ALabelMadeOfManyParametersIsReadAgain) {
  const auto labelled = [](const std::string& label) {
    return with_models("  - {zoo: resnet18, label: '" + label + "'}");
  };
  const std::string label = "a" + std::string(998, '=') + "z";
  EXPECT_EQ(model_labels(good(to_json(good(labelled(label))).dump())), std::vector{label});
  const TemporaryFolder folder;
  EXPECT_FALSE(load_study(folder.write("study.yaml", labelled(label + "z")), small_vocabulary()));
}

TEST(StudyModels, ALabelMaySayTheAxesAndItsBeginningIsTheGroup) {
  const TemporaryFolder folder;
  static_cast<void>(folder.write("net.py", "x"));
  const auto study = load_study(folder.write("study.yaml", with_models(R"(
  - pytorch: net.py:build
    label: small net w{width}
    parameters: {width: {each: [16, 32]}, depth: {each: [2]}})")),
                                small_vocabulary());
  ASSERT_TRUE(study) << study.error()[0].text();
  EXPECT_THAT(model_labels(*study), ElementsAre("small net w16 depth=2", "small net w32 depth=2"));
  EXPECT_EQ(study->models[1].group, "small net");
}

TEST(StudyModels, FilesOfOnePatternAreAnAxis) {
  const TemporaryFolder folder;
  for (const char* const name : {"enc_16.onnx", "enc_32.onnx"}) static_cast<void>(folder.write(name, "x"));
  const auto study = load_study(folder.write("study.yaml", with_models(R"(
  - {onnx: 'enc_{width}.onnx', parameters: {width: {each: [16, 32]}}})")),
                                small_vocabulary());
  ASSERT_TRUE(study) << study.error()[0].text();
  EXPECT_THAT(model_labels(*study), ElementsAre("enc_16", "enc_32"));
  EXPECT_EQ(study->models[1].file, folder.path() / "enc_32.onnx");
  EXPECT_EQ(study->models[1].group, "enc");
  EXPECT_THAT(study->models[1].parameters, ElementsAre(Pair("width", "32")));
}

TEST(StudyModels, AListOfADimensionsSizesIsAnAxisInFilesAndInModules) {
  const TemporaryFolder folder;
  for (const char* const name : {"net.py", "net.onnx"}) static_cast<void>(folder.write(name, "x"));
  const auto study = load_study(folder.write("study.yaml", with_models(R"(
  - {onnx: net.onnx, dimensions: {sequence: [16, 128], n: batch}}
  - pytorch: net.py:build
    shapes: {ids: [batch, sequence], mask: [batch, sequence, 1]}
    dimensions: {sequence: [8, 64]})")),
                                small_vocabulary());
  ASSERT_TRUE(study) << study.error()[0].text();
  EXPECT_THAT(model_labels(*study),
              ElementsAre("net sequence=16", "net sequence=128", "net:build sequence=8", "net:build sequence=64"));
  EXPECT_THAT(study->models[1].dimensions, ElementsAre(Pair("n", kBatchExtent), Pair("sequence", 128)));
  EXPECT_THAT(study->models[3].shapes,
              ElementsAre(Pair("ids", ElementsAre(kBatchExtent, 64)), Pair("mask", ElementsAre(kBatchExtent, 64, 1))));
  EXPECT_TRUE(study->models[3].dimensions.empty());
}

TEST(StudyModels, MistakesInAxesAreReportedOnce) {
  const TemporaryFolder folder;
  static_cast<void>(folder.write("net.py", "x"));
  const auto study = load_study(folder.write("study.yaml", with_models(R"(
  - {pytorch: 'net.py:a', parameters: {width: {each: []}}}
  - {pytorch: 'net.py:b', parameters: {width: {each: [8, 8]}}}
  - {pytorch: 'net.py:c', parameters: {width: {each: [8, 9]}}, raw_bytes: 10, encoded_bytes: {width: {8: 1}}}
  - {pytorch: 'net.py:d', shapes: {x: [batch, [8, 16]]}}
  - {pytorch: 'net.py:e', shapes: {x: [batch, 8]}, dimensions: {sequence: [8, 16]}}
  - {pytorch: 'net.py:f', parameters: {width: {each: [8, 9]}}, size: big})")),
                                small_vocabulary());
  ASSERT_FALSE(study);
  std::vector<std::string> texts;
  for (const StudyProblem& problem : study.error()) texts.push_back(problem.key + ": " + problem.message);
  EXPECT_THAT(
      texts,
      ElementsAre(
          "models[0].parameters.width: expected a list of values, each of which makes a model, found an empty list",
          "models[1].parameters.width: 8 is listed twice; remove one of the two",
          "models[2].encoded_bytes: no number for width = 9; add 9: BYTES",
          "models[3].shapes.x[1]: an extent that varies has a name: write sequence here, and dimensions: "
          "{sequence: [16, 128]}",
          "models[4].dimensions: no shape has sequence",
          "models[5].size: expected an integer from 1 to 1000, found big"));
}

TEST(StudyModels, EntriesWithAxesAreTogetherAtMostTenThousandModels) {
  const TemporaryFolder folder;
  static_cast<void>(folder.write("net.py", "x"));
  std::string values = "0";
  for (int i = 1; i < 6000; ++i) values += ", " + std::to_string(i);
  const std::string entry = "  - {pytorch: 'net.py:NAME', parameters: {width: {each: [" + values + "]}}}\n";
  std::string models;
  for (const char* const name : {"a", "b"}) models += std::string(entry).replace(entry.find("NAME"), 4, name);
  const auto study = load_study(folder.write("study.yaml", with_models(models)), small_vocabulary());
  ASSERT_FALSE(study);
  EXPECT_EQ(study.error().front().key + ": " + study.error().front().message, "models: more than 10000 models");
}

TEST(StudyModels, DimensionsAndInputsOfAFileAreRead) {
  const TemporaryFolder folder;
  for (const char* const name : {"net.onnx", "ids.npy", "all.npz"}) static_cast<void>(folder.write(name, "x"));
  const auto study = load_study(folder.write("study.yaml", with_models(R"(
  - onnx: net.onnx
    dimensions: {sequence: 128, n: batch}
    inputs: {ids: ids.npy, mask: {file: all.npz, array: m}, kind: {range: [1, 1]}}
  - {onnx: net.onnx, label: other, inputs: all.npz})")),
                                small_vocabulary());
  ASSERT_TRUE(study) << study.error()[0].text();
  EXPECT_THAT(study->models[0].dimensions, ElementsAre(Pair("n", kBatchExtent), Pair("sequence", 128)));
  EXPECT_THAT(study->models[0].inputs,
              ElementsAre(Pair("ids", InputEntry{.file = folder.path() / "ids.npy"}),
                          Pair("kind", InputEntry{.range = {{1, 1}}}),
                          Pair("mask", InputEntry{.file = folder.path() / "all.npz", .array = "m"})));
  EXPECT_THAT(study->models[1].inputs, ElementsAre(Pair("", InputEntry{.file = folder.path() / "all.npz"})));
}

TEST(StudyModels, MistakesInAUsersModelAreReportedAtTheirPlaces) {
  const TemporaryFolder folder;
  for (const char* const name : {"net.py", "net.onnx"}) static_cast<void>(folder.write(name, "x"));
  const auto study = load_study(folder.write("study.yaml", with_models(R"(  - pytorch: net.py
  - pytorch: gone.py:build
  - {onnx: net.onnx, state_dict: w.pt}
  - {zoo: resnet18, state_dict: w.pt}
  - {timm: resnet18, shapes: {x: [batches, 3]}}
  - {timm: resnet34, inputs: {x: {range: [1, 0]}}}
  - {timm: resnet50, inputs: {x: {rnage: [0, 1]}}}
  - {timm: resnet26, inputs: x.npy}
  - {timm: a b})")),
                                small_vocabulary());
  ASSERT_FALSE(study);
  std::vector<std::string> texts;
  for (const StudyProblem& problem : study.error()) texts.push_back(problem.key + ": " + problem.message);
  EXPECT_THAT(
      texts, ElementsAre(
                 "models[0].pytorch: expected FILE.py:FUNCTION, found net.py",
                 "models[1].pytorch: gone.py: no such file; relative paths start at the study's folder",
                 "models[2].state_dict: this key is only for pytorch and timm; remove it",
                 "models[3].state_dict: this key is only for pytorch and timm; remove it",
                 "models[4].shapes.x[0]: expected an integer from 1 to 2147483647, or the word batch, found batches",
                 "models[5].inputs.x.range: expected [least, largest], two numbers in this order, found a list",
                 "models[6].inputs.x: rnage: unknown key, did you mean range?",
                 "models[7].inputs: x.npy: no such file; relative paths start at the study's folder",
                 "models[7].inputs: expected an .npz with an array for each input, or INPUT: FILE.npy",
                 "models[8].timm: expected one line of text, at most 100 characters, not beginning with -, found a b"));
}

TEST(StudyModels, MoreThanTenThousandModelsAreRefusedAtOnce) {
  std::string values;
  for (int i = 1; i <= 1000; ++i) values += std::to_string(i) + ", ";
  const std::string widths = "  - zoo: {conv_block: {depth: [1, 2, 3, 4, 5, 6], width: [" + values + "4000]}}\n";
  EXPECT_EQ(good(with_models(widths)).models.size(), 6006U);
  EXPECT_THAT(problems(with_models(widths + "  - {zoo: {conv_block: {width: [" + values +
                                   "4000], depth: [1, 2, 3, 4]}}, label: b}")),
              testing::Contains("4:5: models: more than 10000 models"));
}

}  // namespace
}  // namespace ngb::config
