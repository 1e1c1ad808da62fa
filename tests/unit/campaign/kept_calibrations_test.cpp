// SPDX-License-Identifier: Apache-2.0
#include "campaign/kept_calibrations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  const TemporaryFolder cache;
  EXPECT_TRUE(kept_calibration(cache.path(), "ab")->threads.empty()) << "nothing was measured there";
  ASSERT_TRUE(keep_calibration(cache.path(), "ab", measured(2, 20, "openvino 1")));
  ASSERT_TRUE(keep_calibration(cache.path(), "ab", measured(1, 20, "openvino 1")));
  ASSERT_TRUE(keep_calibration(cache.path(), "ab", measured(2, 20, "openvino 2")));
  const auto kept = kept_calibration(cache.path(), "ab");
  ASSERT_TRUE(kept) << kept.error().text();
  ASSERT_EQ(kept->threads.size(), 2U);
  EXPECT_EQ(kept->threads[0].threads, 1);
  EXPECT_EQ(kept->threads[1].compiler, "openvino 2") << "in place of the former one";
  EXPECT_EQ(kept->threads[1].cells.at(0).inference_s, 0.01);
  EXPECT_EQ(kept->threads[1].cells.at(0).process_s, std::nullopt);
  EXPECT_EQ(kept->threads[1].cells.at(0).differences, (std::vector<double>{0.001, -0.002}));
}

TEST(KeptCalibrations, AreNotReadFromAFileOfAnotherVersionNorByANameThatIsNoHash) {
  const TemporaryFolder cache;
  cache.write("calibrations/ab.json", R"({"version": 2, "threads": []})");
  EXPECT_THAT(kept_calibration(cache.path(), "ab").error().text(), HasSubstr("remove the file and run: ngb calibrate"));
  cache.write("secret.json", "{}");
  EXPECT_TRUE(kept_calibration(cache.path(), "../secret")->threads.empty());
  EXPECT_FALSE(keep_calibration(cache.path(), "../secret", measured(1, 1, "null")));
}

}  // namespace
}  // namespace ngb::campaign
