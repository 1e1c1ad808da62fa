// SPDX-License-Identifier: Apache-2.0
// Tests that the cache of a decoder is found by the names that exporters give. The lists of names are those of files
// that these exporters have written, or of their sources.
#include "userfiles/cache_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/onnx_wire.h"

namespace ngb::userfiles {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// "7" is a fixed extent, any other text the name of an open one.
ScannedInput tensor(const std::string& name, const std::vector<std::string>& extents, int type = wire::kFloat32) {
  ScannedInput made{.name = name, .is_tensor = true, .element_type = type, .shape = {{}}};
  for (const std::string& extent : extents) {
    const bool is_number = extent.find_first_not_of("0123456789") == std::string::npos;
    made.shape->push_back(is_number ? ScannedExtent{.value = std::stoll(extent)} : ScannedExtent{.name = extent});
  }
  return made;
}

ScannedInput integers(const std::string& name, const std::vector<std::string>& extents) {
  return tensor(name, extents, wire::kInt64);
}

const std::vector<std::string> kPast{"b", "2", "past", "16"};
const std::vector<std::string> kPresent{"b", "2", "past + s", "16"};

FileTensors file_of(const std::vector<std::string>& pasts, const std::vector<std::string>& presents,
                    std::vector<ScannedInput> others = {}) {
  FileTensors file{.inputs = {integers("input_ids", {"b", "s"})}, .outputs = {tensor("logits", {"b", "s", "199"})}};
  std::move(others.begin(), others.end(), std::back_inserter(file.inputs));
  for (const std::string& name : pasts) file.inputs.push_back(tensor(name, kPast));
  for (const std::string& name : presents) file.outputs.push_back(tensor(name, kPresent));
  return file;
}

// "past -> present" of each pair, or the error.
std::vector<std::string> pairs_of(const FileTensors& file, const work::CacheNames& names = {}) {
  const auto cache = find_cache(file, names);
  if (!cache) return {cache.error().text()};
  std::vector<std::string> pairs;
  for (const CachePair& pair : cache->pairs) {
    pairs.push_back(file.inputs[pair.input].name + " -> " + file.outputs[pair.output].name);
  }
  return pairs;
}

TEST(CacheNames, OfOptimumPairByLayerAndPart) {
  const FileTensors file =
      file_of({"past_key_values.0.key", "past_key_values.0.value"}, {"present.0.key", "present.0.value"},
              {integers("attention_mask", {"b", "past + s"}), integers("position_ids", {"b", "s"})});
  EXPECT_THAT(pairs_of(file),
              ElementsAre("past_key_values.0.key -> present.0.key", "past_key_values.0.value -> present.0.value"));
  const auto cache = find_cache(file, {});
  EXPECT_EQ(cache->form, CacheForm::growing);
  EXPECT_EQ(cache->rows_axis, 2U);
  EXPECT_EQ(cache->ids, 0U);
  EXPECT_EQ(cache->mask, 1U);
  EXPECT_THAT(cache->places, ElementsAre(2U));
}

TEST(CacheNames, OfTransformersExporterPairThroughTheirLayers) {
  EXPECT_THAT(pairs_of(file_of({"past_key_values.layers.0.keys", "past_key_values.layers.0.values"},
                               {"cache.layers.0.keys", "cache.layers.0.values"})),
              ElementsAre("past_key_values.layers.0.keys -> cache.layers.0.keys",
                          "past_key_values.layers.0.values -> cache.layers.0.values"));
}

// It writes all keys, then all values; the order of outputs need not be that of inputs.
TEST(CacheNames, OfGenAisBuilderPairWhateverTheirOrder) {
  const FileTensors file =
      file_of({"past_key_values.0.key", "past_key_values.1.key", "past_key_values.0.value", "past_key_values.1.value"},
              {"present.0.key", "present.0.value", "present.1.key", "present.1.value"},
              {tensor("seqlens_k", {"b"}, wire::kInt32), tensor("total_sequence_length", {}, wire::kInt32)});
  EXPECT_THAT(pairs_of(file),
              ElementsAre("past_key_values.0.key -> present.0.key", "past_key_values.1.key -> present.1.key",
                          "past_key_values.0.value -> present.0.value", "past_key_values.1.value -> present.1.value"));
  EXPECT_THAT(find_cache(file, {})->lasts, ElementsAre(1U));
  EXPECT_THAT(find_cache(file, {})->lengths, ElementsAre(2U));
}

TEST(CacheNames, OfMobiusAreACacheThatKeepsItsShape) {
  FileTensors file{
      .inputs = {integers("input_ids", {"b", "1"}), tensor("key_cache.0", {"b", "2", "64", "16"}),
                 tensor("value_cache.0", {"b", "2", "64", "16"}), integers("write_indices", {"b"}),
                 integers("nonpad_kv_seqlen", {"b"})},
      .outputs = {tensor("logits", {"b", "1", "199"}), tensor("updated_key_cache.0", {"b", "2", "64", "16"}),
                  tensor("updated_value_cache.0", {"b", "2", "64", "16"})}};
  EXPECT_THAT(pairs_of(file),
              ElementsAre("key_cache.0 -> updated_key_cache.0", "value_cache.0 -> updated_value_cache.0"));
  const auto cache = find_cache(file, {});
  EXPECT_EQ(cache->form, CacheForm::whole);
  EXPECT_THAT(cache->befores, ElementsAre(3U));
  EXPECT_THAT(cache->lengths, ElementsAre(4U));
}

TEST(CacheNames, OfAnEncoderAreNotFedBack) {
  const FileTensors file =
      file_of({"past_key_values.0.decoder.key", "past_key_values.0.decoder.value", "past_key_values.0.encoder.key",
               "past_key_values.0.encoder.value"},
              {"present.0.decoder.key", "present.0.decoder.value", "present.0.encoder.key", "present.0.encoder.value"},
              {integers("encoder_attention_mask", {"b", "e"}), tensor("use_cache_branch", {"1"}, wire::kBool)});
  EXPECT_THAT(pairs_of(file), ElementsAre("past_key_values.0.decoder.key -> present.0.decoder.key",
                                          "past_key_values.0.decoder.value -> present.0.decoder.value"));
  EXPECT_THAT(find_cache(file, {})->fixed, testing::SizeIs(2));
  EXPECT_EQ(find_cache(file, {})->mask, std::nullopt);
  EXPECT_EQ(find_cache(file, {})->branch, 2U);
}

TEST(CacheNames, OfFlattenedTuplesPairByTheirNumbers) {
  EXPECT_THAT(pairs_of(file_of({"past_key_values_0_0", "past_key_values_0_1"}, {"present_0_0", "present_0_1"})),
              ElementsAre("past_key_values_0_0 -> present_0_0", "past_key_values_0_1 -> present_0_1"));
}

TEST(CacheNames, AreWhatAStudySaysIfItSaysThem) {
  EXPECT_THAT(
      pairs_of(file_of({"a0k", "a0v"}, {"z_k_0", "z_v_0"}), {.past = "a{layer}{part}", .present = "z_{part}_{layer}"}),
      ElementsAre("a0k -> z_k_0", "a0v -> z_v_0"));
}

TEST(CacheNames, ThatDoNotPairAreRefusedWithBothLists) {
  EXPECT_THAT(pairs_of(file_of({"past_key_values.0.key", "past_key_values.1.key"}, {"present.0.key", "present.2.key"})),
              ElementsAre(HasSubstr("its cache does not pair: inputs without an output: past_key_values.1.key; outputs "
                                    "without an input: present.2.key; name them in the model's entry, as in cache: ")));
  EXPECT_THAT(pairs_of(file_of({}, {})),
              ElementsAre(HasSubstr("no input is a cache; inputs: input_ids; outputs: logits")));
}

TEST(CacheNames, OfAStudyThatTheFileDoesNotHaveAreRefused) {
  EXPECT_THAT(pairs_of(file_of({"past.0.key"}, {"present.0.key"}), {.mask = "maks"}),
              ElementsAre(HasSubstr("no input \"maks\", expected one of input_ids, past.0.key")));
}

FileTensors with_present(ScannedInput present) {
  FileTensors file = file_of({"past.0.key"}, {});
  file.outputs.push_back(std::move(present));
  return file;
}

TEST(CacheShapes, OfAPresentAreThoseOfItsPast) {
  EXPECT_THAT(pairs_of(with_present(tensor("present.0.key", {"b", "4", "past + s", "16"}))),
              ElementsAre(HasSubstr("\"present.0.key\" [b, 4, past + s, 16] cannot be fed back into \"past.0.key\" [b, "
                                    "2, past, 16]: they have other types or shapes")));
  EXPECT_THAT(pairs_of(with_present(tensor("present.0.key", kPresent, wire::kFloat16))),
              ElementsAre(HasSubstr("cannot be fed back")));
  EXPECT_EQ(find_cache(with_present(tensor("present.0.key", {"b", "2", "1", "16"})), {})->form, CacheForm::rows);
}

TEST(CacheShapes, WithBeamsAreRefused) {
  EXPECT_THAT(
      pairs_of(file_of({"past.0.key"}, {"present.0.key"}, {integers("beam_idx", {"b"})})),
      ElementsAre(HasSubstr("\"beam_idx\" is of beams, which are not measured; export the model without beams")));
}

TEST(CacheShapes, OfStatesThatDoNotGrowAreRefusedBesideACache) {
  FileTensors file = file_of({"past.0.key"}, {"present.0.key"});
  file.inputs.push_back(tensor("past.1.conv", {"b", "32", "4"}));
  file.outputs.push_back(tensor("present.1.conv", {"b", "32", "4"}));
  EXPECT_EQ(pairs_of(file).size(), 1U);
  EXPECT_FALSE(find_cache(file, {}));
}

TEST(CacheShapes, MayHaveExtentsThatAreNumbersByName) {
  EXPECT_EQ(extent_of({.name = "16"}), 16);
  EXPECT_EQ(extent_of({.name = "s16"}), std::nullopt);
}

}  // namespace
}  // namespace ngb::userfiles
