// SPDX-License-Identifier: Apache-2.0
#include "toolchain/pip.h"

#include <gtest/gtest.h>

namespace ngb::toolchain {
namespace {

TEST(PipsReport, HasNameVersionWheelAndRequirements) {
  const auto installed = parse_report(R"({"version": "1", "pip_version": "23.2.1", "install": [
    {"download_info": {"url": "x", "archive_info": {"hash": "sha256=ab12", "hashes": {"sha256": "ab12"}}},
     "requested": true,
     "metadata": {"name": "Onnx_Runtime", "version": "1.31.1", "requires_dist": ["numpy>=1.21.6", "flatbuffers"]}},
    {"download_info": {"url": "y", "archive_info": {"hash": "sha256=cd34"}},
     "metadata": {"name": "numpy", "version": "2.4.6"}}]})");
  ASSERT_TRUE(installed) << installed.error().text();
  ASSERT_EQ(installed->size(), 2U);
  EXPECT_EQ((*installed)[0].name, "onnx-runtime");
  EXPECT_EQ((*installed)[0].version, "1.31.1");
  EXPECT_EQ((*installed)[0].sha256, "ab12");
  EXPECT_EQ((*installed)[0].requires_dist, (std::vector<std::string>{"numpy>=1.21.6", "flatbuffers"}));
  EXPECT_EQ((*installed)[1].sha256, "cd34");
}

TEST(PipsReport, IsAnErrorAndNoCrashIfItIsDamaged) {
  for (const char* text : {"", "{", "[]", "{}", R"({"install": 3})", R"({"install": [{}]})", R"({"install": [3]})",
                           R"({"install": [{"metadata": {"name": 1, "version": "1"}}]})"}) {
    EXPECT_FALSE(parse_report(text)) << text;
  }
}

TEST(PipsFailure, OfAnUnknownVersionListsTheNearestOnes) {
  const Error error = explain_pip_failure(
      "ERROR: Could not find a version that satisfies the requirement onnxruntime==1.31.9 (from versions: 1.9.0, "
      "1.28.0, 1.29.0, 1.30.0, 1.31.1, 1.32.0, 1.10.0)\nERROR: No matching distribution found for "
      "onnxruntime==1.31.9\n");
  EXPECT_EQ(error.what, "no such version: onnxruntime==1.31.9");
  EXPECT_EQ(error.next, "versions near it: 1.29.0, 1.30.0, 1.31.1, 1.32.0");
}

TEST(PipsFailure, OnAnotherKindOfDeviceSaysWhichVersionsHaveAWheelForIt) {
  const Error error = explain_pip_failure(
      "ERROR: Could not find a version that satisfies the requirement onnxruntime==1.31.1 (from versions: 1.23.1, "
      "1.23.2)\n",
      "aarch64 with glibc 2.35 and Python 3.10");
  EXPECT_EQ(error.what, "there is no wheel of onnxruntime==1.31.1 for aarch64 with glibc 2.35 and Python 3.10");
  EXPECT_EQ(error.next, "versions near it that have one: 1.23.1, 1.23.2");
}

TEST(PipsFailure, OfAnUnknownPackageSaysSo) {
  EXPECT_EQ(explain_pip_failure("ERROR: Could not find a version that satisfies the requirement onxruntime==1 (from "
                                "versions: none)\nERROR: No matching distribution found for onxruntime==1")
                .what,
            "pip finds no version of onxruntime==1");
}

TEST(PipsFailure, WithoutANetworkIsNotAMissingVersion) {
  const Error error = explain_pip_failure(
      "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError('<conn>: Failed to establish "
      "a "
      "new connection: [Errno -3] Temporary failure in name resolution')': /simple/onnxruntime/\n"
      "ERROR: Could not find a version that satisfies the requirement onnxruntime==1.31.1 (from versions: none)\n");
  EXPECT_EQ(error.what, "no network");
}

TEST(PipsFailure, OfAFullDiskSaysSo) {
  EXPECT_EQ(
      explain_pip_failure("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device\n")
          .what,
      "the disk is full");
}

TEST(PipsFailure, OfAnUnknownKindKeepsPipsOwnWords) {
  EXPECT_EQ(explain_pip_failure("Collecting x\nERROR: Something new went wrong\n").what, "Something new went wrong");
  EXPECT_EQ(explain_pip_failure("Traceback\nValueError: odd\n").what, "ValueError: odd");
}

}  // namespace
}  // namespace ngb::toolchain
