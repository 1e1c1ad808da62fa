// SPDX-License-Identifier: Apache-2.0
// Expected differences: scipy 1.17.1, as in tests/unit/metrics/calibration_test.cpp.
#include "report/calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ngb::report {
namespace {

using testing::HasSubstr;

// Two cells on two threads: the deviation of a round is 1 % in both, and a process takes 2 s.
metrics::DeviceCalibration calibrated() {
  metrics::CalibratedThreads measured{
      .threads = 2, .measured_unix_ns = 1'790'000'000'000'000'000, .compiler = "fast 1.0"};
  measured.cells = {{"resnet18, batch 1", 0.02, 2, {-0.01, 0, 0.01}},
                    {"vit\x1b[31m, batch 1", 0.1, 2, {0.01, 0, -0.01}}};
  return {"c0ffee", {measured}};
}

TEST(Calibrated, ShowsDifferencesWithTheTimeTheyNeedAndEachCell) {
  const std::string shown = calibration_text(calibrated(), 0, false);
  EXPECT_THAT(shown, HasSubstr("2.2 %, 2.2 % in 20.0 s"));  // 5 rounds of 2 processes of 2 s
  EXPECT_THAT(shown, HasSubstr("1 %, 1 % in 1 min 00 s"));
  EXPECT_THAT(shown, HasSubstr("0 of 2"));
  EXPECT_THAT(shown, HasSubstr("vit\\x1b[31m, batch 1"));
  EXPECT_THAT(shown, HasSubstr("2 threads: measured 2026-09-21 14:13 UTC with fast 1.0"));
}

TEST(Calibrated, HasEveryNumberInJson) {
  const auto json = calibration_json(calibrated());
  EXPECT_EQ(json["environment_hash"], "c0ffee");
  EXPECT_NEAR(json["threads"][0]["deviation"]["median"].get<double>(), 0.01, 1e-12);
  EXPECT_NEAR(json["threads"][0]["smallest_difference"][0]["median_ratio"].get<double>(), 0.022283191463832, 1e-9);
  EXPECT_EQ(json["threads"][0]["smallest_difference"][1]["seconds"], 60.0);
}

TEST(Calibrated, WithoutAUsableCellHasNullsAndSaysWhy) {
  metrics::DeviceCalibration device = calibrated();
  device.threads[0].cells = {{"resnet18, batch 1", 0.02, 2, {0.01}}};
  EXPECT_THAT(calibration_text(device, 0, false), HasSubstr("no cell has three rounds"));
  EXPECT_TRUE(calibration_json(device)["threads"][0]["smallest_difference"].is_null());
  EXPECT_THAT(decidable_text(device, {2, 1}, 5),
              HasSubstr("is unknown; `ngb calibrate --threads 2 --turns 1` measures it"));
}

TEST(CalibratedPeak, HasItsRatesWithIntervals) {
  const metrics::DeviceCalibration device{
      .environment_hash = "c0ffee",
      .peaks = {{.threads = 2,
                 .measured_unix_ns = 1'790'000'000'000'000'000,
                 .compiler = "identity 2.9",
                 .rounds = 5,
                 .product = "mm 2048",
                 .macs_per_s = {1.512345678e11, 1.4e11, 1.6e11},
                 .copy_bytes_per_s = {2e10},
                 .triad_bytes_per_s = {2.4e10, 2.3e10, 2.5e10},
                 .reads = {{16 << 20, {4e10}}, {1 << 30, {1.1e10, 1e10, 1.2e10}}}}}};
  const std::string shown = peak_text(device, 0, false);
  EXPECT_THAT(shown, HasSubstr("151.2 [140.0, 160.0]"));
  EXPECT_THAT(shown, HasSubstr("24.00 [23.00, 25.00]"));
  EXPECT_THAT(shown, HasSubstr("mm 2048"));
  EXPECT_THAT(shown, HasSubstr("11.00 [10.00, 12.00]")) << "of the largest array";
  EXPECT_THAT(shown, HasSubstr("2 threads: with identity 2.9; reads arrays of 16.8 MB 40.0 GB/s, 1.07 GB 11.0 GB/s"));
  const auto json = calibration_json(device)["peaks"][0];
  EXPECT_EQ(json["macs_per_s"]["low"], 1.4e11);
  EXPECT_TRUE(json["copy_bytes_per_s"]["high"].is_null());
}

TEST(Decidable, SaysHowManyRoundsASmallDifferenceNeeds) {
  EXPECT_EQ(
      decidable_text(calibrated(), {2, 1}, 5),
      "2 threads: with 5 rounds, differences of about 2.2 % and more are found in half of the cells, of 2.2 % in 80 "
      "%; for 2 %: 6 rounds (6 in 80 %)");
  EXPECT_EQ(decidable_text(calibrated(), {2, 1}, 2),
            "2 threads: a verdict needs 3 rounds; for 2 %: 6 rounds (6 in 80 %)");
  EXPECT_EQ(decidable_json(calibrated(), {2, 1}, 5)["rounds_for_2_percent"], 6);
  EXPECT_TRUE(decidable_json(calibrated(), {1, 1}, 5)["median_ratio"].is_null());
}

TEST(Decidable, KnowsProcessesInTurnsFromACalibrationInAsManyTurns) {
  metrics::DeviceCalibration device = calibrated();
  device.threads.push_back(device.threads[0]);
  device.threads[1].turns = 20;
  device.threads[1].cells = {{"resnet18, batch 1", 0.02, 2, {-0.001, 0, 0.001}}};
  EXPECT_THAT(decidable_text(device, {2, 20}, 5),
              HasSubstr("2 threads in 20 turns: with 5 rounds, differences of about 0.22 % and more"));
  EXPECT_EQ(decidable_text(device, {2, 10}, 5),
            "2 threads in 10 turns: how small a difference can be found here is unknown; `ngb calibrate --threads 2 "
            "--turns 10` measures it");
  EXPECT_THAT(calibration_text(device, 0, false), HasSubstr("2 threads in 20 turns: measured 2026-09-21"));
}

}  // namespace
}  // namespace ngb::report
