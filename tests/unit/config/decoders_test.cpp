// SPDX-License-Identifier: Apache-2.0
// Tests the keys of decoders in an entry of models.
#include <nlohmann/json.hpp>

#include "study_fixture.h"

namespace ngb::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Vocabulary with_decoder() {
  Vocabulary vocabulary = small_vocabulary();
  Parameter number{.name = "context", .type = "int", .minimum = "0", .maximum = "9999", .default_value = "128"};
  Parameter tokens = number;
  tokens.name = "tokens";
  vocabulary.models.push_back({"llama_3m", {number, tokens}});
  return vocabulary;
}

std::string study_of(std::string_view entry) {
  return "compilers: [onnxruntime]\nmodels:\n  - " + std::string(entry) + "\n";
}

std::vector<ModelEntry> entries(std::string_view entry) {
  const auto study = parse(study_of(entry), with_decoder());
  if (study) return study->models;
  for (const StudyProblem& problem : study.error()) ADD_FAILURE() << problem.text();
  return {};
}

std::vector<std::string> labels_of(const std::vector<ModelEntry>& models) {
  std::vector<std::string> labels;
  for (const ModelEntry& model : models) labels.push_back(model.label);
  return labels;
}

TEST(StudyDecoders, KeysMayBeListsThatMakeAModelOfEachCombination) {
  const auto models =
      entries("{zoo: llama_3m, context: [128, 1024], cache: [delta, static], new_tokens: 16, label: l}");
  EXPECT_THAT(labels_of(models), ElementsAre("l context=128 cache=delta", "l context=128 cache=static",
                                             "l context=1024 cache=delta", "l context=1024 cache=static"));
  const DecoderEntry last{.context = 1024, .cache = "static", .new_tokens = 16};
  EXPECT_EQ(models.at(3).decoder, last);
  EXPECT_TRUE(models[3].parameters.empty());
}

TEST(StudyDecoders, TheBestFormOfACacheIsLookedForAmongAll) {
  EXPECT_THAT(labels_of(entries("{zoo: llama_3m, phase: [prefill, decode], cache: best, label: l}")),
              ElementsAre("l phase=prefill", "l phase=decode cache=delta", "l phase=decode cache=static",
                          "l phase=decode cache=scatter", "l phase=decode cache=growing"));
  EXPECT_THAT(labels_of(entries("{zoo: llama_3m, cache: best, capacity: 512, label: l}")),
              ElementsAre("l cache=delta", "l cache=static", "l cache=scatter"));
}

TEST(StudyDecoders, ReadingAPromptHasNothingOfGenerating) {
  const auto models = entries("{zoo: llama_3m, phase: [prefill, decode], capacity: [tight, 4096], label: l}");
  EXPECT_THAT(labels_of(models),
              ElementsAre("l phase=prefill", "l phase=decode capacity=tight", "l phase=decode capacity=4096"));
  EXPECT_TRUE(models.at(0).decoder->is_prefill);
  EXPECT_EQ(models[1].decoder->capacity, std::nullopt);
  EXPECT_EQ(models[2].decoder->capacity, 4096);
  EXPECT_EQ(models[2].decoder->new_tokens, 32);
}

TEST(StudyDecoders, WithoutTheKeysADecodersStepIsAnInferenceByItself) {
  EXPECT_EQ(entries("zoo: llama_3m").at(0).decoder, std::nullopt);
}

TEST(StudyDecoders, AreReadAgainAsTheyWereWritten) {
  const auto study =
      parse(study_of("{zoo: llama_3m, phase: [prefill, decode], capacity: [tight, 512]}"), with_decoder());
  ASSERT_TRUE(study);
  const auto again = parse(to_json(*study).dump(), with_decoder());
  ASSERT_TRUE(again) << again.error()[0].text();
  EXPECT_EQ(labels_of(again->models), labels_of(study->models));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(again->models.at(i).decoder, study->models.at(i).decoder);
}

// Reads the study of a file with these keys.
tl::expected<Study, std::vector<StudyProblem>> read_file_study(const std::string& text) {
  const TemporaryFolder folder;
  folder.write("net.onnx", "x");
  return load_study(folder.write("study.yaml", text), small_vocabulary());
}

std::string with_file(const std::string& keys) { return study_of("{onnx: net.onnx, " + keys + "}"); }

TEST(StudyFileDecoders, HaveTheFormOfTheirFileUnlessTheyAskForOne) {
  const auto study = read_file_study(with_file("phase: [prefill, decode], context: [16, 32], new_tokens: 8"));
  ASSERT_TRUE(study) << study.error()[0].text();
  EXPECT_THAT(labels_of(study->models), ElementsAre("net phase=prefill context=16", "net phase=prefill context=32",
                                                    "net phase=decode context=16", "net phase=decode context=32"));
  EXPECT_EQ(study->models.back().decoder, (DecoderEntry{.context = 32, .cache = "auto", .new_tokens = 8}));
}

TEST(StudyFileDecoders, MayNameTheirCacheAndAreReadAgainAsTheyWereWritten) {
  const auto study = read_file_study(
      with_file("phase: [prefill, decode], cache: {past: 'p.{layer}', present: 'n.{layer}', mask: none}"));
  ASSERT_TRUE(study) << study.error()[0].text();
  const work::CacheNames names{.past = "p.{layer}", .present = "n.{layer}", .mask = "none"};
  ASSERT_EQ(study->models.size(), 2U);
  for (const ModelEntry& model : study->models) EXPECT_EQ(model.decoder->names, names);
  nlohmann::json written = to_json(*study);
  for (auto& model : written["models"]) model["onnx"] = "net.onnx";  // the folder is gone
  const auto again = read_file_study(written.dump());
  ASSERT_TRUE(again) << again.error()[0].text();
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(again->models.at(i).decoder, study->models.at(i).decoder);
}

TEST(StudyFileDecoders, NameBothSidesOfACacheOrNone) {
  const auto study = read_file_study(with_file("cache: {past: 'p.{layer}'}"));
  ASSERT_FALSE(study);
  EXPECT_THAT(study.error()[0].text(), HasSubstr("models[0].cache: past and present need each other; give both"));
}

TEST(StudyFileDecoders, HaveNoBestForm) {
  const auto study = read_file_study(with_file("cache: best"));
  ASSERT_FALSE(study);
  EXPECT_THAT(study.error()[0].text(),
              HasSubstr("models[0].cache: a file has the form in which it was exported; write auto"));
}

TEST(StudyDecoders, OfARecipeHaveNoFormOfAFile) {
  EXPECT_THAT(problems(study_of("{zoo: llama_3m, cache: auto}"), with_decoder()),
              ElementsAre(HasSubstr("models[0].cache: auto is for files; name the recipe's form")));
}

TEST(StudyDecoders, OnlyDecodersHaveThem) {
  EXPECT_THAT(problems(study_of("{zoo: resnet18, context: 128}"), with_decoder()),
              ElementsAre("3:30: models[0].context: resnet18 is no decoder; remove this key"));
}

TEST(StudyDecoders, AParameterThatFollowsFromThemIsNotGivenASecondTime) {
  EXPECT_THAT(problems(study_of("{zoo: {llama_3m: {context: 7}}, context: 128}"), with_decoder()),
              ElementsAre(HasSubstr(
                  "models[0].context: the recipe's parameter context follows from this key; remove the parameter")));
}

TEST(StudyDecoders, AWrongValueIsReportedWithWhatIsExpected) {
  EXPECT_THAT(problems(study_of("{zoo: llama_3m, capacity: [loose]}"), with_decoder()),
              ElementsAre(HasSubstr("models[0].capacity[0]: expected")));
  EXPECT_THAT(problems(study_of("{zoo: llama_3m, new_tokens: 0}"), with_decoder()),
              ElementsAre(HasSubstr("models[0].new_tokens: expected")));
}

}  // namespace
}  // namespace ngb::config
