// SPDX-License-Identifier: Apache-2.0
// The work that is read from a built-in model's file, beside what the recipe counts while it makes the model.
#include <gtest/gtest.h>

#include "folder.h"
#include "userfiles/onnx_graph.h"
#include "zoo/recipe.h"

namespace ngb::userfiles {
namespace {

class CountedModels : public testing::TestWithParam<const char*> {
 protected:
  // Returns the sum over the nodes, with inputs of `batch` samples; nothing if the work of a node is not known.
  [[nodiscard]] std::optional<std::uint64_t> macs(zoo::BatchSize written, int batch) const {
    const zoo::Folder folder;
    const std::filesystem::path path = folder.path() / "net.onnx";
    const zoo::Recipe recipe = zoo::resolve(GetParam(), nlohmann::json::object(), 1).value();
    EXPECT_TRUE(zoo::write_onnx(recipe, written, path, 2));
    std::uint64_t sum = 0;
    const auto nodes = read_graph(path, zoo::facts(recipe, batch)->inputs).value();
    for (const work::GraphNode& node : nodes) {
      if (!node.macs) return std::nullopt;
      sum += *node.macs;
      for (const auto& bytes : node.output_bytes) EXPECT_TRUE(bytes) << node.name;
    }
    return sum;
  }
  [[nodiscard]] std::uint64_t expected(int batch) const {
    return zoo::facts(zoo::resolve(GetParam(), nlohmann::json::object(), 1).value(), batch)->macs;
  }
};

TEST_P(CountedModels, HaveTheMultiplyAddsOfTheirRecipe) { EXPECT_EQ(macs(2, 2), expected(2)); }
TEST_P(CountedModels, HaveThemAlsoIfTheFileLeavesItsBatchOpen) { EXPECT_EQ(macs(std::nullopt, 3), expected(3)); }

INSTANTIATE_TEST_SUITE_P(OfEachFamily, CountedModels,
                         testing::Values("conv_block", "mha_block", "decoder_block", "llama_3m", "gpt_3m", "resnet18",
                                         "mobilenetv3_small_100", "efficientnet_b3", "vit_tiny_patch16_224",
                                         "convnext_tiny", "swin_s3_tiny_224"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace ngb::userfiles
