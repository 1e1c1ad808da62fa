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
