// SPDX-License-Identifier: Apache-2.0
#include "ngraphbench/kernels.h"
#include "ngraphbench/plugin_boundary.h"
#include "null/kernels.h"

#include <gtest/gtest.h>

namespace ngb {
namespace {

using null_compiler::made_up_kernels;
using Texts = std::vector<std::string>;

}  // namespace

TEST(MadeUpKernels, HaveTheirWeightsShareOfTheInference) {
  const std::vector<Kernel> kernels = made_up_kernels("conv1+bn1*3,~reorder*0.5,Conv:17*0.5", 4'000);
  ASSERT_EQ(kernels.size(), 3U);
  EXPECT_EQ(kernels[0].name, "conv1+bn1");
  EXPECT_EQ(kernels[0].nodes, (Texts{"conv1", "bn1"}));
  EXPECT_EQ(kernels[0].found_by, "node name");
  EXPECT_DOUBLE_EQ(kernels[0].ns, 3'000);
  EXPECT_EQ(kernels[1].name, "reorder");
  EXPECT_EQ(kernels[1].nodes, Texts{});
  EXPECT_EQ(kernels[1].found_by, "");
  EXPECT_DOUBLE_EQ(kernels[1].ns, 500);
  EXPECT_EQ(kernels[2].nodes, Texts{"Conv:17"});
}

TEST(MadeUpKernels, WithoutWeightsAreAlike) {
  const std::vector<Kernel> kernels = made_up_kernels("a,b", 100);
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_DOUBLE_EQ(kernels[0].ns, 50);
  EXPECT_DOUBLE_EQ(kernels[1].ns, 50);
}

TEST(MadeUpKernels, CanBeMany) {
  const std::vector<Kernel> kernels = made_up_kernels("100000", 1'000'000);
  ASSERT_EQ(kernels.size(), 100'000U);
  EXPECT_EQ(kernels.back().name, "kernel 99999");
  EXPECT_NEAR(kernels.back().ns, 10, 1e-9);
}

TEST(MadeUpKernels, AreNoneWithoutTheOption) { EXPECT_TRUE(made_up_kernels("", 1'000).empty()); }

TEST(MadeUpKernels, OfOtherWordsAreRefused) {
  for (const char* text : {"a*", "a*x", "a*-1", "a*nan", "a,,b", "*2", "99999999999", "2000000"}) {
    EXPECT_THROW((void)made_up_kernels(text, 1), plugin::Failure) << text;
  }
}

TEST(PluginBoundary, RefusesWhatAWorkerOlderThanThePluginHandsOver) {
  ngb_model model{};
  model.struct_size = sizeof model;
  EXPECT_EQ(&plugin::whole(&model), &model);
  model.struct_size = sizeof model - sizeof model.artifact_path;
  EXPECT_THROW((void)plugin::whole(&model), plugin::Failure);
}

TEST(KernelTable, PointsToTheWordsOfItsKernelsAlsoAfterAMove) {
  KernelTable made(
      {{.name = "a", .kind = "Conv", .ns = 2, .nodes = {"n1", "n2"}, .outputs = {"t"}, .found_by = "order"},
       {.name = "b"},
       {.name = "c", .outputs = {"u"}}});
  const KernelTable table = std::move(made);
  ASSERT_EQ(table.size(), 3U);
  const ngb_kernel* kernels = table.data();
  EXPECT_STREQ(kernels[0].name, "a");
  EXPECT_STREQ(kernels[0].kind, "Conv");
  EXPECT_EQ(kernels[0].ns, 2);
  ASSERT_EQ(kernels[0].node_count, 2U);
  EXPECT_STREQ(kernels[0].nodes[1], "n2");
  ASSERT_EQ(kernels[0].output_count, 1U);
  EXPECT_STREQ(kernels[0].outputs[0], "t");
  EXPECT_STREQ(kernels[0].found_by, "order");
  EXPECT_EQ(kernels[1].node_count + kernels[1].output_count, 0U);
  EXPECT_STREQ(kernels[2].outputs[0], "u");
}

}  // namespace ngb
