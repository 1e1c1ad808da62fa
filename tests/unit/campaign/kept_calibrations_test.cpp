// SPDX-License-Identifier: Apache-2.0
#include "campaign/kept_calibrations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "temporary_folder.h"

namespace ngb::campaign {
namespace {

using testing::HasSubstr;

metrics::CalibratedThreads measured(int threads, int turns, const std::string& compiler) {
  return {.threads = threads,
          .turns = turns,
          .measured_unix_ns = 7,
          .compiler = compiler,
          .cells = {{"resnet18", 0.01, std::nullopt, {0.001, -0.002}}}};
}

TEST(KeptCalibrations, AreReadAsTheyWereKeptOneForEachNumberOfThreadsAndTurns) {
  const TemporaryFolder folder;
  const CacheFolder cache(folder.path());
  EXPECT_TRUE(kept_calibration(cache, "ab").threads.empty()) << "nothing was measured there";
  ASSERT_TRUE(keep_calibration(cache, "ab", measured(2, 20, "openvino 1")));
  ASSERT_TRUE(keep_calibration(cache, "ab", measured(1, 20, "openvino 1")));
  ASSERT_TRUE(keep_calibration(cache, "ab", measured(2, 20, "openvino 2")));
  const auto kept = kept_calibration(cache, "ab");
  ASSERT_EQ(kept.threads.size(), 2U);
  EXPECT_EQ(kept.threads[0].threads, 1);
  EXPECT_EQ(kept.threads[1].compiler, "openvino 2") << "in place of the former one";
  EXPECT_EQ(kept.threads[1].cells.at(0).inference_s, 0.01);
  EXPECT_EQ(kept.threads[1].cells.at(0).process_s, std::nullopt);
  EXPECT_EQ(kept.threads[1].cells.at(0).differences, (std::vector<double>{0.001, -0.002}));
}

TEST(KeptCalibrations, TellADeviceHowMuchItsRoundsVary) {
  const TemporaryFolder folder;
  const CacheFolder cache(folder.path());
  EXPECT_TRUE(quiet_deviations(cache, 20).empty());
  metrics::CalibratedThreads usable = measured(2, 20, "openvino 1");
  usable.cells[0].differences = {-0.01, 0, 0.01};
  ASSERT_TRUE(keep_calibration(cache, "ab", usable));
  ASSERT_TRUE(keep_calibration(cache, "ab", measured(1, 20, "openvino 1")));  // two rounds tell nothing
  usable.turns = 1;
  ASSERT_TRUE(keep_calibration(cache, "cd", usable));
  const auto found = quiet_deviations(cache, 20);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().environment_hash, "ab");
  EXPECT_EQ(found.front().threads, 2);
  EXPECT_NEAR(found.front().deviation, 0.01, 1e-12);
}

metrics::Peak peak(int threads, double macs_per_s) {
  return {.threads = threads,
          .measured_unix_ns = 7,
          .compiler = "identity 2",
          .rounds = 5,
          .product = "mm 2048",
          .macs_per_s = {macs_per_s, 0.9 * macs_per_s, 1.1 * macs_per_s},
          .copy_bytes_per_s = {9e9},
          .triad_bytes_per_s = {1e10},
          .reads = {{1 << 30, {8e9}}}};
}

store::CellData cell_in(const std::string& environment, int threads) {
  store::CellData cell;
  cell.of.threads = threads;
  cell.processes.emplace_back().environment_hash = environment;
  return cell;
}

TEST(KeptPeaks, AreFoundForTheEnvironmentAndTheThreadsOfACell) {
  const TemporaryFolder folder;
  const CacheFolder cache(folder.path());
  ASSERT_TRUE(keep_calibration(cache, "ab", measured(2, 20, "openvino 1")));
  ASSERT_TRUE(keep_peak(cache, "ab", peak(1, 4e9)));
  ASSERT_TRUE(keep_peak(cache, "ab", peak(1, 5e9)));
  EXPECT_EQ(kept_calibration(cache, "ab").threads.size(), 1U) << "beside what else is kept";
  const metrics::PeakOf peak_of = peaks_in(cache);
  const auto found = peak_of(cell_in("ab", 1));
  ASSERT_TRUE(found.value) << found.reason;
  EXPECT_EQ(found.value->macs_per_s.value, 5e9) << "in place of the former one";
  EXPECT_EQ(found.value->macs_per_s.low, 4.5e9);
  EXPECT_EQ(found.value->bytes_per_s(), 1e10);
  EXPECT_EQ(found.value->read_rate(5e6)->bytes_per_s.value, 8e9);
  EXPECT_THAT(peak_of(cell_in("ab", 2)).reason, HasSubstr("run: ngb calibrate --peak --threads 2"));
  EXPECT_THAT(peak_of(cell_in("cd", 1)).reason, HasSubstr("no peak was measured with 1 thread"));
}

TEST(KeptPeaks, OfAVersionThatDidNotReadArraysHaveTheirOtherRates) {
  const TemporaryFolder folder;
  const CacheFolder cache(folder.path());
  ASSERT_TRUE(keep_peak(cache, "ab", peak(1, 5e9)));
  auto kept = nlohmann::json::parse(*cache.find_text("calibrations/ab.json"));
  kept["peaks"][0].erase("reads");
  ASSERT_TRUE(cache.keep_text("calibrations/ab.json", kept.dump()));
  const auto found = peaks_in(cache)(cell_in("ab", 1));
  ASSERT_TRUE(found.value) << found.reason;
  EXPECT_EQ(found.value->macs_per_s.value, 5e9);
  EXPECT_TRUE(found.value->reads.empty());
}

TEST(KeptPeaks, AreNotThoseOfAnotherPrecisionNorOfSeveralEnvironments) {
  const TemporaryFolder folder;
  const CacheFolder cache(folder.path());
  ASSERT_TRUE(keep_peak(cache, "ab", peak(1, 5e9)));
  store::CellData cell = cell_in("ab", 1);
  cell.of.compiler.precision = "bf16";
  EXPECT_EQ(peaks_in(cache)(cell).reason, "peaks are of f32, and the cell is in bf16");
  cell = cell_in("ab", 1);
  cell.processes.emplace_back().environment_hash = "cd";
  EXPECT_THAT(peaks_in(cache)(cell).reason, HasSubstr("several states of the machine"));
  ASSERT_TRUE(cache.keep_text("calibrations/ef.json", "{}"));
  EXPECT_THAT(peaks_in(cache)(cell_in("ef", 1)).reason, HasSubstr("no peak was measured with 1 thread"));
}

TEST(KeptCalibrations, ThatAreDamagedOrOfAnotherVersionAreMadeAnew) {
  const TemporaryFolder folder;
  const CacheFolder cache(folder.path());
  ASSERT_TRUE(keep_calibration(cache, "ab", measured(2, 20, "openvino 1")));
  const std::filesystem::path file = folder / "calibrations/ab.json";
  folder.write("calibrations/ab.json", file::read(file).value() + " ");
  EXPECT_TRUE(kept_calibration(cache, "ab").threads.empty()) << "a byte more";
  ASSERT_TRUE(cache.keep_text("calibrations/ab.json", R"({"version": 2, "threads": []})"));
  EXPECT_TRUE(kept_calibration(cache, "ab").threads.empty());
  ASSERT_TRUE(keep_calibration(cache, "ab", measured(1, 20, "openvino 2")));
  EXPECT_EQ(kept_calibration(cache, "ab").threads.at(0).compiler, "openvino 2");
}

TEST(KeptCalibrations, AreNotReadByANameThatIsNoHash) {
  const TemporaryFolder folder;
  const CacheFolder cache(folder.path());
  ASSERT_TRUE(cache.keep_text("secret.json", R"({"version": 1, "threads": []})"));
  EXPECT_TRUE(kept_calibration(cache, "../secret").threads.empty());
  EXPECT_FALSE(keep_calibration(cache, "../secret", measured(1, 1, "null")));
}

}  // namespace
}  // namespace ngb::campaign
