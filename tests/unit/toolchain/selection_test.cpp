// SPDX-License-Identifier: Apache-2.0
#include "toolchain/selection.h"

#include <gmock/gmock.h>

namespace ngb::toolchain {
namespace {

using ::testing::ElementsAre;

ChosenWheel wheel(const std::string& name, std::uint64_t download_bytes, std::uint64_t installed_bytes,
                  std::uint64_t python_bytes = 0) {
  return {.name = name,
          .version = "1.0",
          .download_bytes = download_bytes,
          .installed_bytes = installed_bytes,
          .python_bytes = python_bytes};
}

std::vector<std::string> names(const std::vector<ChosenWheel>& wheels) {
  std::vector<std::string> all;
  for (const ChosenWheel& each : wheels) all.push_back(each.name);
  return all;
}

TEST(Weight, NamesWhatIsNvidiasAndWhatWasLeftOutWithTheReasons) {
  const Selection selection{
      .wheels = {wheel("nvidia-cublas", 405'000'000, 564'000'000), wheel("torch", 539'000'000, 1'144'000'000)},
      .left_out = {wheel("nvidia-cusolver", 228'000'000, 277'000'000), wheel("triton", 286'000'000, 1'043'000'000)}};
  EXPECT_EQ(weight(selection),
            "2 packages: 944 MB to download, 1.71 GB on disk; 405 MB of the download are libraries of NVIDIA, without "
            "which this build does not load even where there is no GPU (a build without CUDA, if pip's index has one, "
            "does); left out, because only a GPU needs them: nvidia-cusolver, triton (514 MB)");
}

TEST(Weight, OfNvidiasLibrariesNeedsNoReasonWhereThereIsAGpu) {
  EXPECT_EQ(weight({.wheels = {wheel("nvidia-cublas", 400'000'000, 600'000'000)}, .has_gpu = true}),
            "1 package: 400 MB to download, 600 MB on disk");
}

TEST(Weight, ThatTheIndexDoesNotTellIsUnknown) {
  EXPECT_EQ(weight({.wheels = {{.name = "x"}}}), "1 package: an unknown size to download, an unknown size on disk");
  EXPECT_EQ(weight({.wheels = {wheel("a", 1'000'000, 2'000'000), {.name = "x"}}}),
            "2 packages: at least 1 MB to download, at least 2 MB on disk");
}

TEST(BytesNeeded, AreThoseOfWheelsAndTheirFilesTogether) {
  EXPECT_EQ(bytes_needed({wheel("a", 1000, 3000), wheel("b", 10, 30), {.name = "x"}}), 4040U);
}

TEST(Shares, TakeAboutAsLongAsEachOther) {
  // Seconds: 1 + 1 + 10, 5 + 3, 4 + 2, 2 + 1, 0.06 + 0.1 + 6.
  const auto made =
      shares({wheel("torch", 100'000'000, 300'000'000, 40'000'000), wheel("cudnn", 500'000'000, 900'000'000),
              wheel("cublas", 400'000'000, 600'000'000), wheel("cufft", 200'000'000, 300'000'000),
              wheel("sympy", 6'000'000, 30'000'000, 24'000'000)},
             3);
  ASSERT_EQ(made.size(), 3U);
  EXPECT_THAT(names(made[0]), ElementsAre("torch"));
  EXPECT_THAT(names(made[1]), ElementsAre("cudnn", "cufft"));
  EXPECT_THAT(names(made[2]), ElementsAre("sympy", "cublas"));
}

TEST(Shares, AreFewerThanPipsIfStartingPipWouldTakeLonger) {
  EXPECT_EQ(shares({wheel("a", 1000, 3000), wheel("b", 1000, 3000)}, 4).size(), 1U);
  EXPECT_EQ(shares({{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "d"}}, 4).size(), 2U);
  EXPECT_TRUE(shares({}, 4).empty());
}

}  // namespace
}  // namespace ngb::toolchain
