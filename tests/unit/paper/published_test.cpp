// SPDX-License-Identifier: Apache-2.0
#include "paper/published.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "published_claims.h"

namespace ngb::paper {
namespace {

TEST(PublishedTables, AreWhole) {
  EXPECT_EQ(published_compile_seconds().size(), 10U);
  EXPECT_EQ(published_models().size(), 15U);
  EXPECT_EQ(published_blocks().size(), 8U);
  EXPECT_EQ(published_families().size(), 40U);
  EXPECT_EQ(published_conv_depth().size(), 10U);
  EXPECT_EQ(published_mha_depth().size(), 10U);
  EXPECT_EQ(published_families().number(0, "throughput_b2_4"), 104.69);
  EXPECT_EQ(published_families().text(39, "compiler"), "TVM");
  EXPECT_EQ(published_families().number(39, "cpu_percent_b8_16_std"), 0.87);
  EXPECT_EQ(published_mha_depth().number(6, "slope_b16"), -0.01775);
}

// Counts entries in which the slope says that the speed-up grows with depth and the retention that it falls, or the
// other way round.
int contradictions(const PublishedTable& table) {
  int count = 0;
  for (std::size_t row = 0; row < table.size(); ++row) {
    for (const char* const batch : {"_b8", "_b16"}) {
      const bool grows = table.number(row, std::string("slope") + batch) > 0;
      const bool retains_more_than_all = table.number(row, std::string("retention") + batch) - 1 > 0;
      if (grows != retains_more_than_all) ++count;
    }
  }
  return count;
}

TEST(PublishedTables, HaveSlopesAndRetentionsThatContradictEachOther) {
  EXPECT_EQ(contradictions(published_conv_depth()), 12) << "of 20";
  EXPECT_EQ(contradictions(published_mha_depth()), 9) << "of 20";
}

// Returns for how many of the five models it takes longer to compile for batch 32 than for batch 1.
int rises(const char* column) {
  const PublishedTable& table = published_compile_seconds();
  int count = 0;
  for (std::size_t row = 0; row < table.size(); row += 2) {
    EXPECT_EQ(table.text(row, "batch"), "1");
    EXPECT_EQ(table.text(row + 1, "batch"), "32");
    if (table.number(row + 1, column) > table.number(row, column)) ++count;
  }
  return count;
}

TEST(PublishedTables, HaveCompileTimesThatRiseWithTheBatchExceptForTvm) {
  EXPECT_EQ(rises("xeon_openvino"), 5);
  EXPECT_EQ(rises("rtx_tensorrt"), 5);
  EXPECT_EQ(rises("xeon_tvm"), 5);
  EXPECT_EQ(rises("rtx_tvm"), 3);
}

TEST(PublishedTables, NameTheirDevicesInOneWay) {
  EXPECT_EQ(published_device("CPU"), "paper: Xeon");
  EXPECT_EQ(published_device("Xeon"), "paper: Xeon");
  EXPECT_EQ(published_device("xeon"), "paper: Xeon");
  EXPECT_EQ(published_device("GPU"), "paper: RTX 4070");
  EXPECT_EQ(published_device("rtx"), "paper: RTX 4070");
  EXPECT_EQ(published_device("Orin"), "paper: Orin");
}

// Expected: docs/reproduce-paper.md, whose numbers were computed with pandas from the same tables.
TEST(PublishedClaims, AreThoseOfTheDocumentation) {
  const std::string page = file::read(std::filesystem::path(NGB_SOURCE_DIR) / "docs/reproduce-paper.md").value();
  const auto claims = published_claims();
  EXPECT_EQ(claims.size(), 53U);
  for (const PublishedClaim& each : claims) {
    EXPECT_THAT(page, testing::HasSubstr(fmt::format("| `{}` | {} | {} | {:.3f} | {} |\n", each.claim, each.device,
                                                     each.compiler, each.ratio, each.words)));
  }
}

TEST(PublishedClaims, SayHowManyModelsTakeLongerToCompileForALargeBatch) {
  std::vector<std::string> counts;
  for (const PublishedClaim& each : published_claims()) {
    if (each.claim == "only_tvm_compiles_longer")
      counts.push_back(each.compiler + each.from.substr(each.from.find(';')));
  }
  EXPECT_EQ(counts, (std::vector<std::string>{"OpenVINO; longer for 5 of 5 models", "TVM; longer for 5 of 5 models",
                                              "TensorRT; longer for 5 of 5 models", "TVM; longer for 3 of 5 models"}));
}

}  // namespace
}  // namespace ngb::paper
