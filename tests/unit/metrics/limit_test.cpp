// SPDX-License-Identifier: Apache-2.0
// Shares of the limit, computed by hand.
#include "metrics/limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ngb::metrics {
namespace {

// 50 · 10⁹ multiply-adds and 20 · 10⁹ bytes a second.
Peak peak() { return {.threads = 1, .macs_per_s = {50e9}, .copy_bytes_per_s = {16e9}, .triad_bytes_per_s = {20e9}}; }

// 64 channels to 64 at 56 x 56, 3 x 3: 56 · 56 · 64 · 64 · 9 = 115 605 504 multiply-adds, which take 2.31211 ms at the
// least; 2 · 56 · 56 · 64 · 4 + 64 · 64 · 9 · 4 = 1 753 088 bytes take 0.0876544 ms.
TEST(LimitShare, OfAConvolutionIsThatOfItsMultiplyAdds) {
  const LimitShare share = limit_share({115'605'504, 1'753'088}, peak(), 0.004);
  EXPECT_NEAR(share.ratio, 0.5780275, 1e-7);
  EXPECT_FALSE(share.is_memory);
}

// [1, 4096] · [4096, 4096]: 16 777 216 multiply-adds take 0.3355 ms; 67 141 632 bytes take 3.3570816 ms.
TEST(LimitShare, OfAProductWithAVectorIsThatOfItsBytes) {
  const LimitShare share = limit_share({16'777'216, 67'141'632}, peak(), 0.004);
  EXPECT_NEAR(share.ratio, 0.8392704, 1e-7);
  EXPECT_TRUE(share.is_memory);
}

TEST(LimitShare, ExceedsOneWhereDataStaysInCaches) {
  EXPECT_NEAR(limit_share({0, 2'000'000}, peak(), 0.00005).ratio, 2, 1e-12);
}

// Arrays of 16 MiB are read at 40, of 1 GiB at 10 · 10⁹ bytes a second. A step of 10 ms that reads 0.1 · 10⁹ bytes
// reads as fast as the large array; one that reads 16 MB at 1.6 · 10⁹ a second reads at 4 % of the small one.
TEST(BandwidthShare, IsOfTheRateOfAnArrayThatIsNotSmaller) {
  Peak read = peak();
  read.reads = {{16 << 20, {40e9}}, {1 << 30, {10e9}}};
  const auto known = Known<Peak>::of(read);
  EXPECT_NEAR(*bandwidth_share({0.1e9}, {0.010}, known).value, 1, 1e-12);
  EXPECT_NEAR(*bandwidth_share({16e6}, {0.010}, known).value, 0.04, 1e-12);
  EXPECT_NEAR(*bandwidth_share({4e9}, {0.5}, known).value, 0.8, 1e-12) << "larger than all: the largest one";
}

TEST(BandwidthShare, IsUnknownWithoutATimeAPeakOrItsReads) {
  EXPECT_EQ(bandwidth_share(unknown("no tokens"), {0.010}, Known<Peak>::of(peak())).reason, "no tokens");
  EXPECT_EQ(bandwidth_share({1e6}, {0.010}, Known<Peak>::unknown("none")).reason, "none");
  EXPECT_THAT(bandwidth_share({1e6}, {0.010}, Known<Peak>::of(peak())).reason, testing::HasSubstr("calibrate --peak"));
}

TEST(FindPeak, NeverUsesThatOfAnotherNumberOfThreadsOrProcessor) {
  const std::vector<Peak> peaks{peak()};
  EXPECT_EQ(find_peak(peaks, 1, "cpu").value->macs_per_s.value, 50e9);
  EXPECT_EQ(find_peak(peaks, 2, "cpu").reason,
            "no peak was measured with 2 threads on the cpu in this state of the machine; run: ngb calibrate --peak "
            "--threads 2");
  EXPECT_THAT(find_peak(peaks, 1, "gpu").reason, testing::HasSubstr("--peak --threads 1 --gpu"));
}

}  // namespace
}  // namespace ngb::metrics
