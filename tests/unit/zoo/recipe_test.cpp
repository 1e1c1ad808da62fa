// SPDX-License-Identifier: Apache-2.0
#include "zoo/recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "made.h"
#include "zoo/family.h"

namespace ngb::zoo {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Of all families and variants, in the order of the table.
std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const Family& family : families()) {
    names.push_back(family.name);
    for (const Variant& variant : family.variants) names.push_back(variant.name);
  }
  return names;
}

std::string refusal(const std::string& name, const nlohmann::json& parameters) {
  const Result<Recipe> recipe = resolve(name, parameters, 1);
  return recipe ? "accepted" : recipe.error().text();
}

struct PaperRow {
  std::string name;
  std::uint64_t parameters;
  std::uint64_t macs_torchinfo;
  std::uint64_t macs;
};

// Parameters and torchinfo's MACs: Table IV of the paper. MACs: half of what torch's FlopCounterMode counts on timm's
// modules, which zoo_against_timm.py does again.
const PaperRow kTableIv[] = {
    {"resnet18", 11689512, 1814083944, 1814073344},
    {"resnet50", 25557032, 4089238376, 4089184256},
    {"resnet101", 44549160, 7801511784, 7801405440},
    {"efficientnet_b3", 12233232, 962729320, 962708240},
    {"efficientnet_b4", 19341616, 1503740472, 1503710432},
    {"efficientnet_b5", 30389784, 2356534504, 2356493184},
    {"deit3_small_patch16_224", 22059496, 79557352, 4598882304},
    {"deit3_medium_patch16_224", 38849512, 115513320, 7990968320},
    {"deit3_base_patch16_224", 86585320, 201581032, 17563828224},
    {"swin_s3_tiny_224", 28328674, 52152040, 4623332352},
    {"swin_s3_small_224", 49737298, 66312424, 9404703744},
    {"swin_s3_base_224", 71125762, 94739176, 13655012352},
    {"convnext_tiny", 28589128, 322371592, 4455531264},
    {"convnext_small", 50223688, 411391240, 8683712256},
    {"convnext_base", 88591464, 646530408, 15354729472},
};

TEST(Facts, EqualThePapersTable) {
  for (const PaperRow& row : kTableIv) {
    const Result<ModelFacts> found = facts(made(row.name), 1);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->parameters, row.parameters) << row.name;
    EXPECT_EQ(found->macs_torchinfo, row.macs_torchinfo) << row.name;
    EXPECT_EQ(found->macs, row.macs) << row.name;
  }
}

TEST(Facts, CountMacsForTheWholeBatch) {
  const Result<ModelFacts> found = facts(made("resnet18"), 3);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->macs, 3 * 1814073344ULL);
  EXPECT_EQ(found->macs_torchinfo, 3 * 1814083944ULL);  // as torchinfo 1.8.0 prints for batch 3
  EXPECT_EQ(found->parameters, 11689512U);
}

// Parameters of one block: Table V of the paper. The stem has 27 weights and a bias for each channel.
TEST(Facts, OfAConvBlockEqualThePapersTable) {
  const std::pair<int, std::uint64_t> kTableV[] = {{64, 37056}, {96, 83232}, {128, 147840}, {256, 590592}};
  for (const auto& [width, parameters] : kTableV) {
    const auto stem = static_cast<std::uint64_t>(28 * width);
    for (const int depth : {1, 6}) {
      const Result<ModelFacts> found = facts(made("conv_block", {{"width", width}, {"depth", depth}}), 1);
      ASSERT_TRUE(found);
      EXPECT_EQ(found->parameters, stem + static_cast<std::uint64_t>(depth) * parameters) << width;
    }
  }
}

TEST(Facts, OfAConvBlockWithoutAStemCountASmallerFirstBlock) {
  for (const auto& [depth, parameters] : {std::pair(1, 1920ULL), std::pair(6, 1920ULL + 5 * 37056)}) {
    const Result<ModelFacts> found = facts(made("conv_block", {{"depth", depth}, {"stem", false}}), 1);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->parameters, parameters);  // of the first block: 64 × (27 weights, bias, gamma, beta)
  }
}

// The paper leaves out LayerNorm's weight and bias.
TEST(Facts, OfARepeatedMhaBlockEqualThePapersTable) {
  const std::pair<int, std::uint64_t> kTableV[] = {{128, 66048}, {256, 263168}, {384, 591360}, {512, 1050624}};
  for (const auto& [embed, parameters] : kTableV) {
    const Result<ModelFacts> six = facts(made("mha_block", {{"embed", embed}, {"depth", 6}}), 1);
    ASSERT_TRUE(six);
    EXPECT_EQ(six->parameters, 6 * (parameters + 2 * static_cast<std::uint64_t>(embed))) << embed;
  }
}

// 10 tokens of 128: projections 10 × 128 × (384 + 128), scores and context 10 × 10 × 128 each.
TEST(Facts, OfAnMhaBlockAreCountedByHand) {
  const Result<ModelFacts> found = facts(made("mha_block", {{"embed", 128}, {"depth", 1}}), 2);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->macs, 2 * (10 * 128 * 512 + 2 * 10 * 10 * 128ULL));
  EXPECT_EQ(found->macs_torchinfo, 2 * 256ULL);  // LayerNorm's alone
}

// 8 × 8 positions; 64 × 27 weights, then 64 × 576; 64 biases and 128 BatchNorm parameters in each block.
TEST(Facts, OfAConvBlockAreCountedByHand) {
  const Result<ModelFacts> found =
      facts(made("conv_block", {{"width", 64}, {"depth", 2}, {"image_size", 8}, {"stem", false}}), 1);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->macs, 64 * (64 * 27 + 64 * 576ULL));
  EXPECT_EQ(found->macs_torchinfo, 64 * (64 * 27 + 64 + 64 * 576 + 64ULL) + 2 * 128);
  EXPECT_EQ(found->node_count, 6U);
}

// 8 × 8 positions; the stem has 16 × 75 weights, the block 16 × 400, with 16 biases each and 32 BatchNorm parameters.
TEST(Facts, OfAConvBlockWithStemAndKernelSizeAreCountedByHand) {
  const Result<ModelFacts> found = facts(made("conv_block", {{"width", 16}, {"kernel_size", 5}, {"image_size", 8}}), 1);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->parameters, 16 * 75 + 16 + 16 * 400 + 16 + 32U);
  EXPECT_EQ(found->macs, 64 * (16 * 75 + 16 * 400ULL));
  EXPECT_EQ(found->node_count, 4U);
  EXPECT_EQ(found->outputs, (std::vector<TensorSignature>{{"output", DataType::f32, {1, 16, 8, 8}}}));
}

TEST(Facts, NameInputAndOutputWithTheirShapes) {
  const Result<ModelFacts> resnet = facts(made("resnet50"), 8);
  const Result<ModelFacts> block = facts(made("conv_block"), 4);
  ASSERT_TRUE(resnet && block);
  EXPECT_EQ(resnet->inputs, (std::vector<TensorSignature>{{"input", DataType::f32, {8, 3, 224, 224}}}));
  EXPECT_EQ(resnet->outputs, (std::vector<TensorSignature>{{"output", DataType::f32, {8, 1000}}}));
  EXPECT_EQ(block->inputs, (std::vector<TensorSignature>{{"input", DataType::f32, {4, 3, 244, 244}}}));
  EXPECT_EQ(block->outputs, (std::vector<TensorSignature>{{"output", DataType::f32, {4, 64, 244, 244}}}));
}

TEST(Facts, RefuseAnImpossibleBatch) {
  for (const int batch : {0, -1, 65537}) {
    const Result<ModelFacts> found = facts(made("resnet18"), batch);
    ASSERT_FALSE(found);
    EXPECT_THAT(found.error().text(), HasSubstr("is out of range, expected 1 to 65536"));
  }
}

TEST(Facts, CheckParametersThatWereNotResolved) {
  EXPECT_FALSE(facts({.family = "conv_block", .parameters = {{"depth", 0}}}, 1));
  EXPECT_FALSE(facts({.family = "mystery", .parameters = nlohmann::json::object()}, 1));
}

TEST(Layers, AddUpToTheFacts) {
  const Result<std::vector<Layer>> rows = layers(made("resnet18"), 1);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->front().name, "conv1");
  EXPECT_EQ(rows->front().parameters, 9408U);
  EXPECT_EQ(rows->front().macs, 118013952U);  // 112 × 112 × 64 × 147
  EXPECT_EQ(rows->back().name, "fc");
  EXPECT_EQ(rows->size(), 69U);
}

TEST(Resolve, FillsInDefaultsAndTheVariantsParameters) {
  const Recipe recipe = made("resnet50", {{"classes", 10}}, 7);
  EXPECT_EQ(recipe.family, "resnet");
  EXPECT_EQ(recipe.seed, 7U);
  EXPECT_EQ(canonical_json(recipe),
            R"({"family":"resnet","parameters":{"block":"bottleneck","classes":10,"depths":[3,4,6,3],)"
            R"("image_size":224,"width":1.0},"revision":3,"seed":7})");
}

TEST(Resolve, NamesTheNearestWord) {
  EXPECT_EQ(refusal("resnt18", {}), "resnt18: unknown model, did you mean resnet18?");
  EXPECT_EQ(refusal("qqqqqqqq", {}), "qqqqqqqq: unknown model, expected one of " + text::join(names(), ", "));
  EXPECT_EQ(refusal("conv_block", {{"widht", 3}}),
            "conv_block.widht: unknown parameter of conv_block, did you mean width?");
  EXPECT_EQ(refusal("resnet", {{"block", "botleneck"}}),
            "resnet.block: unknown word botleneck, did you mean bottleneck?");
}

TEST(Resolve, RefusesImpossibleValues) {
  EXPECT_EQ(refusal("conv_block", {{"depth", 0}}), "conv_block.depth: 0 is out of range, expected 1 to 1000");
  EXPECT_EQ(refusal("conv_block", {{"width", 1000000000}}),
            "conv_block.width: 1000000000 is out of range, expected 1 to 65536");
  EXPECT_EQ(refusal("conv_block", {{"depth", 0}, {"stem", true}}),
            "conv_block.depth: 0 is out of range, expected 1 to 1000");
  EXPECT_EQ(refusal("conv_block", {{"kernel_size", 4}}),
            "conv_block.kernel_size: a kernel of 4x4 does not keep the image's size; choose an odd number");
  EXPECT_EQ(refusal("resnet18", {{"image_size", 8}}), "resnet18.image_size: 8 is out of range, expected 32 to 8192");
  EXPECT_EQ(refusal("resnet18", {{"depths", {2, 2, 2}}}), "resnet18.depths: needs 4 numbers, not 3");
  EXPECT_EQ(refusal("resnet18", {{"depths", {2, 2, 0, 2}}}), "resnet18.depths: 0 is out of range, expected 1 to 1000");
  EXPECT_EQ(refusal("resnet18", {{"width", 0}}), "resnet18.width: 0 is out of range, expected 0.1 to 64");
  EXPECT_EQ(refusal("mha_block", {{"embed", 100}}),
            "mha_block.heads: 8 heads do not divide the width 100; choose a width that is a multiple of 8");
  EXPECT_EQ(refusal("vit", {{"heads", 5}}),
            "vit.heads: 5 heads do not divide the width 384; choose a width that is a multiple of 5");
  EXPECT_EQ(refusal("vit", {{"patch", 15}}), "vit.patch: patches of 15 do not divide an image of 224");
  EXPECT_EQ(refusal("swin", {{"windows", {7, 7, 7, 14}}}),
            "swin.windows: a window of 14 is larger than the map of stage 4, which is 7; choose a smaller window or a "
            "larger image");
  EXPECT_EQ(refusal("convnext", {{"channels", {1000000000, 1, 1, 1}}}),
            "convnext.channels: 1000000000 is out of range, expected 1 to 65536");
}

TEST(Resolve, RefusesWrongTypes) {
  EXPECT_EQ(refusal("conv_block", {{"depth", "two"}}),
            "conv_block.depth: \"two\" is of the wrong type, expected a whole number");
  EXPECT_EQ(refusal("conv_block", {{"depth", 1.5}}),
            "conv_block.depth: 1.5 is of the wrong type, expected a whole number");
  EXPECT_EQ(refusal("resnet", {{"depths", 3}}),
            "resnet.depths: 3 is of the wrong type, expected a list of whole numbers");
  EXPECT_EQ(refusal("resnet", nlohmann::json::array({1})), "resnet: expected an object of parameters");
}

// 1,000 convolutions of 65,536 × 65,536 channels on 8,192 × 8,192 pixels: refused, but never wrapped around.
TEST(Resolve, RefusesWhatCannotBeCounted) {
  EXPECT_THAT(refusal("conv_block", {{"width", 65536}, {"depth", 1000}, {"image_size", 8192}}),
              HasSubstr("choose smaller parameters"));
}

TEST(CanonicalJson, SurvivesTheRoundTrip) {
  const Recipe recipe = made("conv_block", {{"depth", 3}}, 18446744073709551615ULL);
  const Result<Recipe> again = parse_canonical_json(canonical_json(recipe));
  ASSERT_TRUE(again);
  EXPECT_EQ(canonical_json(*again), canonical_json(recipe));
  EXPECT_EQ(again->seed, 18446744073709551615ULL);
}

TEST(CanonicalJson, OfAnotherRevisionIsRefused) {
  std::string text = canonical_json(made("conv_block"));
  text.replace(text.find("\"revision\":3"), 12, "\"revision\":99");
  const Result<Recipe> recipe = parse_canonical_json(text);
  ASSERT_FALSE(recipe);
  EXPECT_THAT(recipe.error().text(), AllOf(HasSubstr("revision 3, not 99"), HasSubstr("same version")));
}

TEST(CanonicalJson, ThatLacksAParameterIsRefused) {
  const Result<Recipe> recipe = parse_canonical_json(
      R"({"family":"conv_block","parameters":{"depth":1,"image_size":8,"width":4},"revision":3,"seed":1})");
  ASSERT_FALSE(recipe);
  EXPECT_EQ(recipe.error().text(),
            "recipe: conv_block.kernel_size is missing; use the same version of NGraphBench on both sides");
}

TEST(CanonicalJson, ThatIsMalformedIsRefused) {
  for (const std::string text : {"", "{", "[]", "3", R"({"family":"resnet"})", "\xff\xfe",
                                 R"({"family":3,"parameters":{},"revision":3,"seed":1})",
                                 R"({"family":"resnet","parameters":{},"revision":3,"seed":-1})"}) {
    EXPECT_FALSE(parse_canonical_json(text)) << text;
  }
}

// printf '%s' '{"family":"conv_block",…}' | sha256sum
TEST(ContentHash, IsTheHashOfTheCanonicalText) {
  EXPECT_EQ(canonical_json(made("conv_block")),
            R"({"family":"conv_block","parameters":{"depth":1,"image_size":244,"kernel_size":3,"stem":true,)"
            R"("width":64},"revision":3,"seed":1})");
  EXPECT_EQ(content_hash(made("conv_block")), "8d7acbc6a618209ae7fd2f41836f398ed928266816fb285a8b7971b15a86cdff");
  EXPECT_NE(content_hash(made("conv_block", {}, 2)), content_hash(made("conv_block")));
}

// Groups, styles and ranks of size: Table IV of the paper.
TEST(Families, BelongToTheGroupsOfThePapersTable) {
  struct Row {
    const char* group;
    const char* style;
    std::vector<const char*> names;
  };
  const Row kRows[] = {
      {"ResNets", "convolutional", {"resnet18", "resnet50", "resnet101"}},
      {"EfficientNets", "convolutional", {"efficientnet_b3", "efficientnet_b4", "efficientnet_b5"}},
      {"DeiTs", "transformer", {"deit3_small_patch16_224", "deit3_medium_patch16_224", "deit3_base_patch16_224"}},
      {"Swins", "transformer", {"swin_s3_tiny_224", "swin_s3_small_224", "swin_s3_base_224"}},
      {"ConvNeXts", "hybrid", {"convnext_tiny", "convnext_small", "convnext_base"}},
  };
  for (const Row& row : kRows) {
    for (std::size_t i = 0; i < row.names.size(); ++i) {
      const ModelGroup found = model_group_of(row.names[i]);
      EXPECT_EQ(found.group, row.group) << row.names[i];
      EXPECT_EQ(found.style, row.style) << row.names[i];
      EXPECT_EQ(found.size, static_cast<int>(i) + 1) << row.names[i];
    }
  }
  EXPECT_EQ(model_group_of("vit").group, "ViTs");
  EXPECT_EQ(model_group_of("resnet").size, std::nullopt);
  EXPECT_EQ(model_group_of("mlp").style, "");
  EXPECT_EQ(model_group_of("eva02").group, "");
}

TEST(Families, HaveUniqueNamesAndMeanings) {
  for (const Family& family : families()) {
    EXPECT_FALSE(family.meaning.empty()) << family.name;
    for (const FamilyParameter& parameter : family.parameters) EXPECT_FALSE(parameter.meaning.empty());
  }
  EXPECT_THAT(
      names(),
      testing::ElementsAre(
          "resnet", "resnet18", "resnet50", "resnet101", "efficientnet", "efficientnet_b3", "efficientnet_b4",
          "efficientnet_b5", "vit", "vit_tiny_patch16_224", "vit_small_patch16_224", "vit_base_patch16_224",
          "deit3_small_patch16_224", "deit3_medium_patch16_224", "deit3_base_patch16_224", "swin", "swin_s3_tiny_224",
          "swin_s3_small_224", "swin_s3_base_224", "convnext", "convnext_tiny", "convnext_small", "convnext_base",
          "mobilenet_v3", "mobilenetv3_large_100", "mobilenetv3_small_100", "conv_block", "mha_block", "decoder_block",
          "decoder", "llama_3m", "llama_30m", "llama_100m", "llama_1b", "gpt_3m", "gpt_30m", "gpt_124m", "mlp"));
}

}  // namespace
}  // namespace ngb::zoo
